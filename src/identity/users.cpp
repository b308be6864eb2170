#include "headgate/identity/users.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/utf8.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace headgate::identity {
namespace {

constexpr std::size_t kBcryptBytes = 60;
constexpr const char* kMakeAgain = "make it again with bcrypt: htpasswd -B -C 10 FILE NAME";

struct Format {
  std::string_view begin, name;
};
/// Hash formats of other programs, which are refused.
constexpr Format kRefusedFormats[] = {{"$apr1$", "is Apache's MD5 ($apr1$)"},
                                      {"$1$", "is MD5 ($1$)"},
                                      {"$5$", "is SHA-256 of crypt ($5$)"},
                                      {"$6$", "is SHA-512 of crypt ($6$)"},
                                      {"$y$", "is yescrypt ($y$)"},
                                      {"$gy$", "is yescrypt ($gy$)"},
                                      {"$7$", "is scrypt ($7$)"},
                                      {"$2x$", "was made by a faulty bcrypt ($2x$)"},
                                      {"$argon2", "is Argon2"},
                                      {"{SHA}", "is SHA-1 without a salt ({SHA})"},
                                      {"{SSHA}", "is SHA-1 ({SSHA})"},
                                      {"{PLAIN}", "is a text ({PLAIN})"}};

bool are_crypt_digits(std::string_view text) noexcept { return all_alnum(text, "./"); }

bool begins_as_bcrypt(std::string_view hash) noexcept {
  return hash.starts_with("$2a$") || hash.starts_with("$2b$") || hash.starts_with("$2y$");
}

/// Returns the cost in a hash that begins like a bcrypt hash; 0 if there is no cost.
unsigned cost_of(std::string_view hash) noexcept {
  if (hash.size() < 7 || hash[6] != '$') return 0;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return digit(hash[4]) && digit(hash[5]) ? static_cast<unsigned>((hash[4] - '0') * 10 + (hash[5] - '0')) : 0;
}

/// Returns the reason why the hash is refused; the message is empty if the hash is accepted.
UserFileError fault_of_hash(std::string_view hash) {
  if (hash.empty()) return {.message = "there is no hash after the name", .help = kMakeAgain};
  for (const auto& [begin, name] : kRefusedFormats)
    if (hash.starts_with(begin))
      return {.message = "this hash " + std::string(name) + "; only bcrypt is accepted", .help = kMakeAgain};
  if (!begins_as_bcrypt(hash)) {
    const bool des = hash.size() == 13 && are_crypt_digits(hash);
    return {.message = des ? "this is a DES hash of crypt; only bcrypt is accepted"
                           : "this is not a bcrypt hash, perhaps a password in clear text",
            .help = kMakeAgain};
  }
  const auto cost = cost_of(hash);
  // The valid last characters of salt and digest: only two bits of the salt's last digit and four bits of the digest's
  // last digit are significant. A hash with any other character would never match a password.
  constexpr std::string_view kLastOfSalt = ".Oeu", kLastOfDigest = ".CGKOSWaeimquy26";
  if (cost == 0 || hash.size() != kBcryptBytes || !are_crypt_digits(hash.substr(7)) ||
      kLastOfSalt.find(hash[28]) == kLastOfSalt.npos || kLastOfDigest.find(hash.back()) == kLastOfDigest.npos)
    return {.message = "this hash of bcrypt is damaged", .help = kMakeAgain};
  if (cost < kMinBcryptCost || cost > kMaxBcryptCost)
    return {.message = "the cost of this hash is " + std::to_string(cost) + "; it may be from " +
                       std::to_string(kMinBcryptCost) + " to " + std::to_string(kMaxBcryptCost) +
                       ", at which a check takes a second",
            .help = kMakeAgain};
  return {};
}

bool is_user_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kLongestUser || name.front() == ' ' || name.back() == ' ') return false;
  for (std::size_t at = 0; at < name.size();) {
    const auto length = character_length(name, at);
    if (length == 0 || static_cast<unsigned char>(name[at]) < 0x20 || name[at] == 0x7F) return false;
    at += length;
  }
  return true;
}

std::string_view without_line_end(std::string_view line) noexcept {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  return line;
}

/// Parses a line and sets `out`. Returns the mistake in the line; the message is empty if the line is valid.
UserFileError read_line(std::string_view line, User& out) {
  const auto colon = line.find(':');
  if (colon == line.npos) return {.message = "there is no ':' between a name and a hash"};
  if (!is_user_name(line.substr(0, colon)))
    return {.message = "a name is 1 to " + std::to_string(kLongestUser) +
                       " bytes of UTF-8 without control characters, and without blanks around it"};
  out.name = line.substr(0, colon);
  const auto rest = line.substr(colon + 1);
  out.hash = rest.substr(0, rest.find(':'));
  return fault_of_hash(out.hash);
}

}  // namespace

Users::Users(std::vector<User> users) : users_(std::move(users)) {
  std::sort(users_.begin(), users_.end(), [](const User& a, const User& b) { return a.name < b.name; });
}

const std::string* Users::hash_of(std::string_view name) const noexcept {
  const auto at = std::lower_bound(users_.begin(), users_.end(), name,
                                   [](const User& user, std::string_view wanted) { return user.name < wanted; });
  return at != users_.end() && at->name == name ? &at->hash : nullptr;
}

const std::string* Users::instead(std::uint64_t number) const noexcept {
  return users_.empty() ? nullptr : &users_[number % users_.size()].hash;
}

Result<Users, UserFileError> read_users(std::string_view text) {
  if (text.size() > kLongestUserFile)
    return UserFileError{.message = "the file is larger than " + std::to_string(kLongestUserFile >> 20) + " MiB"};
  if (constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; text.starts_with(kByteOrderMark))
    text.remove_prefix(kByteOrderMark.size());
  std::vector<User> users;
  std::map<std::string, std::size_t, std::less<>> lines;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = text.find('\n');
    const auto one = without_line_end(text.substr(0, end));
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    if (one.empty() || one.front() == '#') continue;
    if (users.size() == kMaxUsers)
      return UserFileError{.line = line, .message = "there are more than " + std::to_string(kMaxUsers) + " users"};
    User user;
    if (auto fault = read_line(one, user); !fault.message.empty()) {
      fault.line = line;
      return fault;
    }
    const auto [first, fresh] = lines.emplace(user.name, line);
    if (!fresh)
      return UserFileError{.line = line,
                           .message = "\"" + user.name + "\" stands in line " + std::to_string(first->second) + ", too",
                           .help = "keep one of the two"};
    users.push_back(std::move(user));
  }
  return Users(std::move(users));
}

}  // namespace headgate::identity
