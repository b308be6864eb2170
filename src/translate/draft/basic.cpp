#include "basic.hpp"

#include "json.hpp"
#include "protect.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace headgate::translate {

void set_basic(DraftEntry& route, const DraftBasic& basic, const Spot& spot, const std::string& what) {
  if (basic.file.empty())
    return close_route(route, what.substr(0, what.find_first_of(" :")), spot, what,
                       "write its users into a file for htpasswd, and \"basic\" with this file in the route");
  constexpr std::size_t kLongestRealm = 128;
  const bool plain = std::ranges::all_of(basic.realm, [](char c) { return c >= 0x20 && c < 0x7F; });
  std::vector<std::pair<std::string, std::string>> members{{"file", json_text(basic.file)}};
  if (!basic.realm.empty() && plain && basic.realm.size() <= kLongestRealm)
    members.emplace_back("realm", json_text(basic.realm));
  else if (!basic.realm.empty())
    say(route, Matter::differs, spot, what, "the realm of headgate is of up to 128 printable ASCII characters");
  if (basic.pass_on) members.emplace_back("pass_on", "true");
  const auto json = object_of(members);
  if (const auto other = route.get("basic"); !other.empty() && other != json)
    return close_route(route, what.substr(0, what.find_first_of(" :")), spot, what,
                       "a route has one file of users, and this one has another already");
  route.set("basic", json);
}

}  // namespace headgate::translate
