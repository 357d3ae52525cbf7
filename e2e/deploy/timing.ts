/** As in the product, but faster: what is tested here is not how long a proof takes. */
export const timing = { times: 3, apartMs: 50, pollMs: 25, workerMs: 200 }
