import unittest

from quarterdeck_kit.open_metrics import open_metrics, prefers_open_metrics

OM = "application/openmetrics-text"

PREFERRED = [
    f"{OM};version=1.0.0,{OM};version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    f"{OM};version=1.0.0;escaping=allow-utf-8;q=0.6,{OM};version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
    OM,
    f"text/plain, {OM}",
    f'{OM}; version="1.0.0"',
    " Application/OpenMetrics-Text ; Version=1.0.0 ; Q=0.9 , text/plain ; q=0.8",
    f"{OM};q=0.1, text/plain;q=0",
    f"{OM};q=0.5, text/plain;q=0.1, text/*;q=0.9, */*",
    f",;;=,q=,{OM},\0;q=ü",
]
NOT_PREFERRED = [
    None,
    "",
    "*/*",
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    f"{OM};version=0.0.1",
    f"{OM};q=0.5, text/plain;q=0.6",
    f"{OM};q=0.5, text/*;q=0.6",
    f"{OM};q=0.5, */*",
    f"{OM};q=0",
    f"{OM};q=high",
    f"{OM};q=-1",
    f"{OM};q=inf",
    f"{OM};q=nan",
    f"{OM}-plus, x{OM}",
    ";;;,=;q,\0",
]

TEXT = r"""# HELP hits_total All "hits" of a\\b
# TYPE hits_total counter
hits_total{path="/x",handle="7"} 3

# a comment
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 1
took_seconds_bucket{le="10"} 2
took_seconds_bucket{le="+Inf"} 2
# HELP jobs Counter by another name
# TYPE jobs counter
jobs 4
# HELP odd_total A gauge
# TYPE odd_total gauge
odd_total 1
# HELP raw Anything
# TYPE raw untyped
raw 5
"""
DERIVED = r"""# HELP hits All \"hits\" of a\\b
# TYPE hits counter
hits_total{path="/x",handle="7"} 3
# HELP took_seconds How long
# TYPE took_seconds histogram
took_seconds_bucket{le="0.5"} 1
took_seconds_bucket{le="10.0"} 2
took_seconds_bucket{le="+Inf"} 2
# HELP jobs Counter by another name
# TYPE jobs unknown
jobs 4
# HELP odd_total A gauge
# TYPE odd_total gauge
odd_total 1
# HELP raw Anything
# TYPE raw unknown
raw 5
# EOF
"""


class OpenMetricsTest(unittest.TestCase):
    def test_it_is_given_to_those_who_prefer_it(self) -> None:
        for accept in PREFERRED:
            self.assertTrue(prefers_open_metrics(accept), accept)

    def test_text_is_given_to_all_others(self) -> None:
        for accept in NOT_PREFERRED:
            self.assertFalse(prefers_open_metrics(accept), accept)

    def test_counters_lose_total_in_their_metadata_alone_and_bounds_become_floats(self) -> None:
        self.assertEqual(open_metrics(TEXT), DERIVED)

    def test_a_label_value_that_looks_like_a_bound_is_left_alone(self) -> None:
        line = r'x{note="le=\"5\""} 1'
        self.assertEqual(open_metrics(f"{line}\n"), f"{line}\n# EOF\n")

    def test_a_separator_within_a_label_value_ends_no_line(self) -> None:
        line = 'x{note="a\u2028b\x0bc\x85"} 1'
        self.assertEqual(open_metrics(f"{line}\n"), f"{line}\n# EOF\n")
