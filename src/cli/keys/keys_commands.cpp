// Implements headgate keys new, hash and check, with which an operator manages API keys. `new` shows a key once. No
// command takes a key from the command line.

#include "cli/commands.hpp"
#include "cli/config_file.hpp"
#include "key_groups.hpp"
#include "key_text.hpp"

#include "headgate/core/hex.hpp"
#include "headgate/core/json_text.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/core/replace_file.hpp"
#include "headgate/core/time.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/expiry.hpp"
#include "headgate/identity/fresh_key.hpp"
#include "headgate/identity/key_record.hpp"
#include "headgate/identity/sha256.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace headgate::cli {
namespace {

using identity::ApiKeyRecord;

constexpr std::size_t kGuessable = 16;  // bytes; shorter keys can be guessed over a network

int complain(int code, const std::string& message, const std::string& help = {}) {
  std::fprintf(stderr, "headgate: %s\n", message.c_str());
  if (!help.empty()) std::fprintf(stderr, "  help: %s\n", help.c_str());
  return code;
}

/// Prints the error like `headgate check`, but without the line of the file, because it may contain a key.
int complain(const std::string& file, const JsonMistake& error) {
  std::fprintf(stderr, "%s:%zu:%zu: error: %s%s\n", file.c_str(), error.line, error.column, error.message.c_str(),
               error.pointer.empty() ? "" : (" [" + error.pointer + ']').c_str());
  if (!error.help.empty()) std::fprintf(stderr, "  help: %s\n", error.help.c_str());
  return kBadConfiguration;
}

std::string counted(std::size_t count, const char* word) {
  return std::to_string(count) + ' ' + word + (count == 1 ? "" : "s");
}

/// Returns the record of `key` for the key file.
std::string record_of(std::string_view key, const std::string& owner, const KeysNewOptions& options) {
  std::string text = "{ \"sha256\": \"" + hex(identity::sha256(key)) + '"';
  for (const auto& [name, value] :
       {std::pair("owner", owner), std::pair("tier", options.tier), std::pair("expires", options.expires)}) {
    if (value.empty()) continue;
    text += ", \"" + std::string(name) + "\": \"";
    append_json_text(text, value);
    text += '"';
  }
  for (const auto& each : options.groups) {
    const auto [name, value] = group_in(each);
    text += &each == &options.groups.front() ? ", \"groups\": { \"" : ", \"";
    append_json_text(text, name);
    text += "\": \"";
    append_json_text(text, value);
    text += '"';
  }
  return text + (options.groups.empty() ? " }" : " } }");
}

/// Returns whether the options are valid in a key file; prints an error if not.
bool options_make_sense(const KeysNewOptions& options) {
  if (!identity::is_key_prefix(options.prefix)) {
    complain(kWrongCommandLine, "--prefix: a prefix has 1 to 32 letters, digits or '_'");
    return false;
  }
  const std::string owner = options.owner.empty() ? "owner" : options.owner;
  const auto read = identity::read_api_keys("{\"keys\": [" + record_of("", owner, options) + "]}");
  if (read.has_error()) {
    const auto& error = read.error();
    // Members and options have the same names, except for the groups.
    const auto option = error.pointer.starts_with("/keys/0/groups")
                            ? std::string("group")
                            : error.pointer.substr(error.pointer.rfind('/') + 1);
    complain(kWrongCommandLine, "--" + option + ": " + error.message, error.help);
    return false;
  }
  if (const auto expires = read->front().expires; expires && *expires <= now()) {
    complain(kWrongCommandLine, "--expires: " + moment_text(*expires) + " has passed");
    return false;
  }
  return true;
}

/// Returns the key file `file` with one more record at its end, in the same layout. The file has one list, so the last
/// bracket closes that list.
std::string with_record(std::string file, const std::string& record, bool first) {
  const auto bracket = file.rfind(']');
  const auto end = file.find_last_not_of(" \t\r\n", bracket - 1) + 1;
  return file.replace(end, bracket - end, (first ? "\n    " : ",\n    ") + record + "\n  ");
}

/// Adds the record to the file. Returns the exit code.
int add_to_file(const std::string& file, const std::string& record) {
  const auto lock = FileLock::take(file);
  if (lock.has_error()) return complain(kFailed, lock.error());
  std::string text = "{\n  \"keys\": []\n}\n";
  std::error_code failed;
  if (std::filesystem::status(file, failed).type() != std::filesystem::file_type::not_found) {
    auto old = read_file(file);
    if (!old) return kFailed;
    text = std::move(*old);
  }
  const auto before = identity::read_api_keys(text);
  if (before.has_error()) return complain(file, before.error());
  text = with_record(std::move(text), record, before->empty());
  if (const auto after = identity::read_api_keys(text); after.has_error()) return complain(file, after.error());
  if (const auto error = replace_file(file, text)) return complain(kFailed, *error);
  std::fprintf(stderr, "headgate: added to %s, which now has %s\n", file.c_str(),
               counted(before->size() + 1, "key").c_str());
  return kWell;
}

bool expired(const ApiKeyRecord& record, Instant at) { return record.expires && *record.expires <= at; }

/// Prints the owner of the key and whether it is valid. Returns the exit code.
int tell(const ApiKeyRecord& record, Instant at) {
  std::string text = "this key is " + record.owner + "'s";
  if (!record.tier.empty()) text += ", of tier " + record.tier;
  for (const auto& [name, value] : record.groups) text += ", " + name + ' ' + value;
  for (const auto& each : record.overrides)
    text += (&each == &record.overrides.front() ? ", with limits of its own: " : " ") + each.limit;
  if (record.expires)
    text += (expired(record, at) ? ", expired since " : ", good until ") + moment_text(*record.expires);
  if (record.disabled) text += ", disabled";
  std::puts(text.c_str());
  return record.disabled || expired(record, at) ? kFailed : kWell;
}

void count(const std::string& file, const std::vector<ApiKeyRecord>& records, Instant at) {
  std::set<std::string_view> owners;
  std::size_t past = 0;
  std::size_t disabled = 0;
  for (const auto& each : records) {
    owners.insert(each.owner);
    if (expired(each, at)) ++past;
    if (each.disabled) ++disabled;
  }
  std::printf("%s: %s of %s, %zu expired, %zu disabled\n", file.c_str(), counted(records.size(), "key").c_str(),
              counted(owners.size(), "owner").c_str(), past, disabled);
}

}  // namespace

int keys_new(const KeysNewOptions& options) {
  if (!options_make_sense(options)) return kWrongCommandLine;
  const auto key = identity::fresh_key(options.prefix);
  if (key.empty()) return complain(kFailed, "the system has no random bytes");
  if (!options.file.empty()) {
    // The key is shown only after the file has it. Otherwise a key could be handed out that the gateway does not have.
    if (const int failed = add_to_file(options.file, record_of(key, options.owner, options))) return failed;
    std::puts(key.c_str());
    return kWell;
  }
  // "<owner>" is not valid in a key file, so the user must replace it.
  const auto record = record_of(key, options.owner.empty() ? "<owner>" : options.owner, options);
  std::printf("%s\n%s\n", key.c_str(), record.c_str());
  std::fputs("headgate: the first line is the key, shown only once; the second goes into \"keys\" of the key file\n",
             stderr);
  return kWell;
}

int keys_hash() {
  const auto key = read_key();
  if (!key) return kFailed;
  if (key->size() < kGuessable)
    std::fprintf(stderr, "headgate: a key of %s can be guessed; `headgate keys new` makes one that cannot\n",
                 counted(key->size(), "byte").c_str());
  std::puts(hex(identity::sha256(*key)).c_str());
  return kWell;
}

int keys_check(const KeysCheckOptions& options) {
  if (!options.key.empty() && options.key != "-") {
    return complain(kWrongCommandLine, "a key on the command line is seen by everybody on this machine",
                    "write --key - and give the key on stdin; this one is known now, so replace it");
  }
  const auto text = read_file(options.file);
  if (!text) return kBadConfiguration;
  auto records = identity::read_api_keys(*text);
  if (records.has_error()) return complain(options.file, records.error());
  if (options.key.empty()) {
    count(options.file, *records, now());
    return kWell;
  }
  const auto key = read_key();
  if (!key) return kFailed;
  const identity::ApiKeys keys(std::move(*records));
  const auto* const record = keys.find(identity::sha256(*key));
  if (record == nullptr) return complain(kFailed, options.file + " does not know this key");
  return tell(*record, now());
}

}  // namespace headgate::cli
