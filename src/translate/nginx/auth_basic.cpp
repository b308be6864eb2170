// Translates auth_basic: passwords that nginx asks for.

#include "translate/draft/basic.hpp"
#include "translate/draft/protect.hpp"
#include "translate/nginx/work.hpp"

namespace headgate::translate {

bool asks_password(const NginxScope& scope) {
  const auto* const realm = scope.one("auth_basic");
  return realm != nullptr && realm->word(0) != "off" && scope.one("auth_basic_user_file") != nullptr;
}

void ask_password(NginxWork& work, const NginxScope& scope, DraftEntry& route) {
  if (!asks_password(scope)) return;  // without a file nginx asks for no password either
  const auto& realm = *scope.one("auth_basic");
  const auto& file = *scope.one("auth_basic_user_file");
  for (const auto* each : {&realm, &file})
    if (each->word(0).find('$') != std::string_view::npos)
      return close_route(route, "auth_basic", each->spot, each->text(),
                         "headgate has one realm and one file for a route: write \"basic\"");
  set_basic(route,
            {.file = path_beside(file.spot.file, file.word(0)), .realm = std::string(realm.word(0)), .pass_on = true},
            file.spot, file.text());
  if (work.said.insert("auth_basic").second)
    say(route, Matter::differs, file.spot, file.text(),
        "headgate takes only hashes of bcrypt: htpasswd -B makes them; it answers 401 without nginx's page, and "
        "remembers "
        "a right password for ten minutes");
}

}  // namespace headgate::translate
