-- The requests of one run of wrk, and its figures as one line of JSON.
-- Arguments: a path with %d in it, and how many ids it is asked with. Every run asks in the same order.
local requests = {}
local last = 0

function init(args)
  local pattern, count = args[1], tonumber(args[2])
  local id = 7
  for i = 1, count do
    -- 7919 is prime, so the ids come mixed, and each of them once as long as it does not divide the count.
    id = (id + 7919) % count
    requests[i] = wrk.format("GET", (pattern:gsub("%%d", tostring(id + 1))))
  end
end

function request()
  last = last % #requests + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\nfigures {"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failures":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
