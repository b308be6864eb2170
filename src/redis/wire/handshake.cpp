#include "headgate/redis/handshake.hpp"

#include "headgate/redis/command.hpp"
#include "headgate/redis/errors.hpp"

#include <utility>
#include <vector>

namespace headgate::redis {
namespace {

/// Returns whether the server only forbids or lacks this command. Then the first calls will show what its answer would
/// have shown.
bool withheld(const Reply& reply) {
  return reply.kind == Reply::Kind::error &&
         (reply.text.starts_with("NOPERM") || reply.text.starts_with("ERR unknown command"));
}

}  // namespace

Handshake::Handshake(const RedisOptions& options, std::string_view script, std::string_view script_sha,
                     std::string& out)
    : options_(options), script_sha_(script_sha) {
  const auto say = [&](Check check, const std::vector<std::string_view>& words) {
    append_command(out, words);
    checks_[count_++] = check;
  };
  if (!options.username.empty())
    say(Check::auth, {"AUTH", options.username, options.password});
  else if (!options.password.empty())
    say(Check::auth, {"AUTH", options.password});
  const std::string database = std::to_string(options.database);
  if (options.database != 0) say(Check::select, {"SELECT", database});
  say(Check::role, {"ROLE"});
  say(Check::load, {"SCRIPT", "LOAD", script});
}

Handshake::Step Handshake::take(const Reply& reply) {
  if (!took(checks_[next_], reply)) return Step::failed;
  return ++next_ == count_ ? Step::done : Step::more;
}

bool Handshake::took(Check check, const Reply& reply) {
  if (check == Check::auth) return took_auth(reply);
  if (reply.kind == Reply::Kind::error && reply.text.starts_with("NOAUTH"))
    return fail("Redis requires a password, but the configuration has none");
  switch (check) {
    case Check::auth:
      break;
    case Check::select:
      if (reply.kind == Reply::Kind::status) return true;
      return fail("database " + std::to_string(options_.database) + " cannot be used: " + std::string(reply.text));
    case Check::role:
      return took_role(reply);
    case Check::load:
      if (withheld(reply) || (reply.kind == Reply::Kind::text && reply.text == script_sha_)) return true;
      if (const auto help = help_for_scripts(reply.text); !help.empty()) return fail(std::string(help));
      return fail("the script cannot be loaded: " + std::string(reply.text));
  }
  return false;
}

bool Handshake::took_auth(const Reply& reply) {
  if (reply.kind == Reply::Kind::status) return true;
  // Some servers repeat the arguments of a command that they refuse, here the password. So only the first word of this
  // answer is ever shown.
  const std::string_view text = reply.text;
  if (text.starts_with("WRONGPASS") || text.starts_with("ERR invalid password"))
    return fail("Redis refused the username or password");
  if (text.find("without any password configured") != std::string_view::npos ||
      text.find("no password is set") != std::string_view::npos)
    return fail("Redis has no password, but the configuration has one");
  return fail("Redis refused AUTH (" + std::string(text.substr(0, text.find(' '))) + ")");
}

bool Handshake::took_role(const Reply& reply) {
  if (reply.kind == Reply::Kind::array && reply.text == "master") return true;
  if (withheld(reply)) return true;
  if (reply.kind == Reply::Kind::array && reply.text == "slave")
    return fail("it is a replica, which accepts no writes");
  if (reply.kind == Reply::Kind::array && reply.text == "sentinel") return fail("it is a Sentinel, not a data server");
  return fail("it did not report its role: " + std::string(reply.text));
}

bool Handshake::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

}  // namespace headgate::redis
