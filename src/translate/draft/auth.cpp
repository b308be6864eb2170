#include "auth.hpp"

#include "json.hpp"
#include "protect.hpp"

#include "headgate/net/url.hpp"

#include <utility>

namespace headgate::translate {

void set_auth(DraftEntry& route, const DraftAuth& auth, const Spot& spot, const std::string& what) {
  const auto url = net::parse_url(auth.url, "http://auth:8080/check");
  const auto close = [&](const std::string& why) {
    close_route(route, what.substr(0, what.find_first_of(" :")), spot, what, why);
  };
  if (url.has_error()) return close("write the address of the service in \"auth\": " + url.error());
  std::vector<std::pair<std::string, std::string>> members{{"url", json_text(auth.url)}};
  if (!auth.fields.empty()) members.emplace_back("fields", texts_of(auth.fields));
  if (!auth.copy.empty()) members.emplace_back("copy", texts_of(auth.copy));
  if (auth.cookies) members.emplace_back("copy_to_answer", R"(["Set-Cookie"])");
  if (!auth.timeout.empty()) members.emplace_back("timeout", auth.timeout);
  const auto json = members.size() == 1 ? json_text(auth.url) : object_of(members);
  if (const auto other = route.get("auth"); !other.empty() && other != json)
    return close("a route asks one service, and this one asks another already");
  route.set("auth", json);
}

}  // namespace headgate::translate
