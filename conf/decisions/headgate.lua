-- Asks headgate about each request, and notes the decision in variables of the transaction.
local decide = "http://127.0.0.1:9001/"

core.register_action("headgate", { "http-req" }, function(txn)
  local headers = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if name ~= "content-length" and name ~= "transfer-encoding" and name ~= "connection" then
      headers[name] = {}
      for _, value in pairs(values) do table.insert(headers[name], value) end
    end
  end
  headers["x-original-method"] = { txn.f:method() }
  headers["x-original-uri"] = { txn.f:pathq() }
  headers["x-forwarded-for"] = { txn.f:src() }
  local answer = core.httpclient():get({ url = decide, headers = headers, timeout = 1000 })
  local function field(name)
    local values = answer.headers and answer.headers[name]
    return values and (values[0] or values[1]) or ""
  end
  txn:set_var("txn.decided", field("x-headgate-status") ~= "" and field("x-headgate-status") or "none")
  txn:set_var("txn.retry_after", field("retry-after"))
  txn:set_var("txn.client", field("x-client"))
end)
