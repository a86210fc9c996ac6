-- The requests of one run of wrk, and its figures as one line of JSON.
-- Arguments: a path with %d in it, how many ids it is asked with, and the body of a POST, or nothing. Every run asks in the same order.
local requests = {}
local last = 0

function init(args)
  local pattern, count, body = args[1], tonumber(args[2]), args[3]
  local method, headers = "GET", nil
  if body == nil or body == "" then
    body = nil
  else
    method, headers = "POST", { ["Content-Type"] = "application/json" }
  end
  local id = 7
  for i = 1, count do
    -- 7919 is prime, so the ids come mixed, and each of them once as long as it does not divide the count.
    id = (id + 7919) % count
    requests[i] = wrk.format(method, (pattern:gsub("%%d", tostring(id + 1))), headers, body)
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
