-- Asks headgate about each request, and notes the decision in variables of the transaction. If a gateway does not answer,
-- the next one is asked, and that gateway rests for five seconds unless all do.
local gateways = { "127.0.0.1:9001" }
local rests_until = {}
local turn = 0

core.register_action("headgate", { "http-req" }, function(txn)
  local headers = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if name ~= "content-length" and name ~= "transfer-encoding" and name ~= "connection" then
      headers[name] = {}
      for _, value in pairs(values) do table.insert(headers[name], value) end
    end
  end
  -- headgate believes these fields, so none of them may come from the client.
  local tls = txn.f:ssl_fc()
  headers["x-original-method"] = { txn.f:method() }
  headers["x-original-uri"] = { txn.f:pathq() }
  headers["x-forwarded-for"] = { txn.f:src() }
  headers["x-forwarded-proto"] = { (tls == 1 or tls == true) and "https" or "http" }
  headers["x-forwarded-host"] = headers["host"]
  local answer
  local function field(name)
    local values = answer.headers and answer.headers[name]
    return values and (values[0] or values[1]) or ""
  end
  turn = turn + 1
  local now = core.now().sec
  local awake, resting = {}, {}
  for i = 0, #gateways - 1 do
    local gateway = gateways[(turn + i) % #gateways + 1]
    table.insert((rests_until[gateway] or 0) > now and resting or awake, gateway)
  end
  for _, gateway in ipairs(#awake > 0 and awake or resting) do
    answer = core.httpclient():get({ url = "http://" .. gateway .. "/", headers = headers, timeout = 1000 })
    if field("x-headgate-status") ~= "" then break end
    rests_until[gateway] = now + 5
  end
  txn:set_var("txn.decided", field("x-headgate-status") ~= "" and field("x-headgate-status") or "none")
  txn:set_var("txn.retry_after", field("retry-after"))
  txn:set_var("txn.authenticate", field("www-authenticate"))
  txn:set_var("txn.client", field("x-client"))
end)
