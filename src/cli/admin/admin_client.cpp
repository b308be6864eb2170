#include "admin_client.hpp"

#include "cli/commands.hpp"

#include "headgate/core/read_file.hpp"
#include "headgate/core/text.hpp"
#include "headgate/net/http_call.hpp"

#include <boost/asio/io_context.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace headgate::cli {
namespace {

constexpr const char* kAdminVariable = "HEADGATE_ADMIN";
constexpr const char* kTokenVariable = "HEADGATE_ADMIN_TOKEN";
constexpr const char* kUsualAdmin = "http://127.0.0.1:9900";
constexpr std::size_t kLongestToken = 4096;
constexpr std::size_t kLongestTokenFile = 64UL * 1024;
constexpr std::uint64_t kLongestAnswer = 64UL * 1024 * 1024;

using Call = Result<AdminReply, CommandFailure>;

Call no_call(int code, std::string message, std::string help = {}, std::string text = {}) {
  return {boost::system::in_place_error, CommandFailure{code, std::move(message), std::move(help), std::move(text)}};
}

std::string variable_or(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// Returns the first line of the file.
Result<std::string, std::string> read_token_file(const std::string& path) {
  using Token = Result<std::string, std::string>;
  const auto file = read_file(path, kLongestTokenFile, Pipes::read);
  if (file.has_error())
    return Token(boost::system::in_place_error, "cannot read the token in " + path + ": " + file.error().text());
  auto line = file->substr(0, file->find('\n'));
  if (line.ends_with('\r')) line.pop_back();
  return Token(boost::system::in_place_value, trimmed(line));
}

bool can_be_a_token(const std::string& text) {
  return !text.empty() && text.size() <= kLongestToken &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string sentence(std::string text) {
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string text_at(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string number_at(const nlohmann::ordered_json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? std::to_string(found->get<std::uint64_t>()) : "0";
}

/// Returns one sentence with which the gateway explains its refusal. If a file has a mistake, the sentence has its
/// place.
std::string why_refused(const nlohmann::ordered_json& problem) {
  auto out = sentence(text_at(problem, "detail"));
  if (out.empty()) out = text_at(problem, "title");
  const auto mistakes = problem.find("mistakes");
  if (mistakes == problem.end() || !mistakes->is_array()) return out;
  for (const auto& each : *mistakes) {
    if (!each.is_object() || text_at(each, "severity") == "warning") continue;
    const auto file = text_at(each, "file");
    out += "\n  " + (file.empty() ? std::string() : file);
    if (each.contains("line")) out += ':' + number_at(each, "line") + ':' + number_at(each, "column");
    out += (file.empty() ? "" : ": ") + text_at(each, "message");
    if (const auto help = text_at(each, "help"); !help.empty()) out += "\n    help: " + help;
  }
  return out;
}

/// Returns what to do about a refusal. The gateway names parameters of a call; the result has the options of the
/// command in their place.
std::string help_in(const nlohmann::ordered_json& problem) {
  auto out = sentence(text_at(problem, "help"));
  if (out.empty()) return out;
  out.front() = lower(out.front());
  const auto parameter = text_at(problem, "parameter");
  const auto at = parameter.empty() ? std::string::npos : out.find('?' + parameter);
  return at == std::string::npos ? out : out.replace(at, 1, "--");
}

Call judge(net::HttpReply reply, const std::string& where, bool with_token) {
  if (!reply.unfinished.empty()) return no_call(kUnreachable, where + ": " + reply.unfinished);
  AdminReply out{std::move(reply.body), nullptr};
  const auto type = reply.field("Content-Type");
  const bool problem = type.starts_with("application/problem+json");
  if (problem || type.starts_with("application/json"))
    out.json = nlohmann::ordered_json::parse(out.text, nullptr, false);
  if (out.json.is_discarded()) out.json = nullptr;
  if (reply.status / 100 == 2) return out;
  if (reply.status == 401)
    return no_call(kFailed, where + (with_token ? " does not know this token" : " wants a token"),
                   with_token ? "it is the one of \"admin\" in the gateway's configuration"
                              : "put it into a file and write --token-file FILE, or into $HEADGATE_ADMIN_TOKEN",
                   std::move(out.text));
  if (problem && out.json.is_object()) {
    auto why = why_refused(out.json);
    const bool mistakes = out.json.contains("mistakes");
    auto help = help_in(out.json);
    return no_call(mistakes ? kBadConfiguration : kFailed, std::move(why), std::move(help), std::move(out.text));
  }
  return no_call(kFailed, where + " answered " + std::to_string(reply.status) + ", and not as a gateway does",
                 "name the address of its admin interface: --admin http://HOST:PORT", std::move(out.text));
}

}  // namespace

std::string usual_admin() { return variable_or(kAdminVariable, kUsualAdmin); }

AdminOptions AdminOptions::whole() const {
  auto out = *this;
  const auto given = [](const CLI::App& above, const char* name) -> const CLI::Option* {
    const auto* const option = above.get_option_no_throw(name);
    return option != nullptr && option->count() > 0 ? option : nullptr;
  };
  for (const auto* above = command ? command->get_parent() : nullptr; above; above = above->get_parent()) {
    const auto* const admin = given(*above, "--admin");
    const auto* const token = given(*above, "--token-file");
    if (admin && out.url.empty()) out.url = admin->as<std::string>();
    if (token && out.token_file.empty()) out.token_file = token->as<std::string>();
    if (given(*above, "--json")) out.json = true;
  }
  return out;
}

void offer_admin(CLI::App& command, AdminOptions& options) {
  options.command = &command;
  command.add_option("--admin", options.url,
                     "URL of the gateway's admin interface (default: $HEADGATE_ADMIN, else http://127.0.0.1:9900)");
  command.add_option("--token-file", options.token_file,
                     "A file with the admin token (default: the token in $HEADGATE_ADMIN_TOKEN)");
  command.add_flag("--json", options.json, "Print the result as JSON");
}

int complain(const CommandFailure& failure) {
  std::fprintf(stderr, "headgate: %s\n", failure.message.c_str());
  if (!failure.help.empty()) std::fprintf(stderr, "  help: %s\n", failure.help.c_str());
  return failure.code;
}

Call call_gateway(const AdminOptions& own, const AdminRequest& request) {
  const auto options = own.whole();
  const auto base = options.url.empty() ? usual_admin() : options.url;
  auto url = net::parse_url(base, kUsualAdmin);
  if (url.has_error()) return no_call(kWrongCommandLine, "--admin: " + url.error());
  if (url->target != "/")
    return no_call(kWrongCommandLine, "--admin: the URL of an admin interface has no path",
                   std::string("write it as ") + kUsualAdmin);
  std::string token = variable_or(kTokenVariable, "");
  if (!options.token_file.empty()) {
    auto read = read_token_file(options.token_file);
    if (read.has_error()) return no_call(kWrongCommandLine, "--token-file: " + read.error());
    token = std::move(*read);
  }
  const bool named = !options.token_file.empty() || !token.empty();
  if (named && !can_be_a_token(token))
    return no_call(kWrongCommandLine,
                   options.token_file.empty() ? "$HEADGATE_ADMIN_TOKEN is not a token"
                                              : "the first line of " + options.token_file + " is not a token",
                   "a token is printable ASCII without spaces");
  url->target = request.target;
  const auto where = "the gateway at " + net::to_text(*net::parse_url(base, kUsualAdmin));
  net::HttpRequest call{.method = request.method,
                        .url = std::move(*url),
                        .trust = std::make_shared<net::Trust>(std::string()),
                        .fields = "Accept: application/json, application/problem+json, text/plain\r\n",
                        .body = request.body,
                        .deadline = request.patience,
                        .max_body = kLongestAnswer};
  if (!request.body.empty()) call.fields += "Content-Type: application/json\r\n";
  if (named) call.fields += "Authorization: Bearer " + token + "\r\n";
  boost::asio::io_context loop{1};
  std::optional<net::HttpResult> result;
  const auto kept = net::HttpCall::start(loop, std::move(call), [&](net::HttpResult got) { result = std::move(got); });
  loop.run();
  if (!result) return no_call(kUnreachable, where + " did not answer");
  if (result->has_error())
    return no_call(kUnreachable, where + " cannot be reached: " + result->error(),
                   "is it running, and is this its admin interface? Name another one with --admin URL");
  return judge(std::move(**result), where, named);
}

std::string in_path(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool dots = text == "." || text == "..";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alnum(c, dots ? "" : "-._~")) {
      out += c;
      continue;
    }
    out += '%';
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

}  // namespace headgate::cli
