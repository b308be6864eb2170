// Parses a key file, member by member. No message quotes the file, because the quoted text could be a key in the wrong
// place.

#include "key_places.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/hex.hpp"
#include "headgate/core/json_walk.hpp"
#include "headgate/core/text.hpp"
#include "headgate/identity/api_keys.hpp"
#include "headgate/identity/expiry.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace headgate::identity {
namespace {

constexpr std::size_t kMaxTags = 16;
constexpr std::size_t kMaxRates = 8;  // the same maximum as for a limit in the configuration

bool is_name(std::string_view text) noexcept { return !text.empty() && text.size() <= 64 && all_alnum(text, "-_."); }

/// A keyed hash of a digest. The digest itself cannot serve as a hash, because customers may supply digests for the
/// file, and these may be any 32 bytes.
struct HashOfDigest {
  std::size_t operator()(const Sha256& digest) const noexcept {
    return keyed_hash({reinterpret_cast<const char*>(digest.data()), digest.size()}, 0).low;
  }
};

class KeyFile {
 public:
  explicit KeyFile(std::string_view json) : walk_(json, R"(JSON has no comments; a key may have a "note")") {}

  Result<PlacedKeys, JsonMistake> read() {
    if (file()) return std::move(keys_);
    return walk_.mistake();
  }

 private:
  struct Member {
    std::string_view name;
    bool (KeyFile::*take)(ApiKeyRecord&);
    std::string_view required;  // the help text if the member is missing; empty if the member is optional
  };
  static const std::array<Member, 11> kMembers;

  bool file() {
    bool has_keys = false;
    const bool read = walk_.object([&](std::string_view name) {
      if (name != "keys") return walk_.refuse_member("unknown member", R"(a key file has only "keys")");
      has_keys = true;
      return walk_.list([&] { return key(); });
    });
    if (!read || !walk_.end()) return false;
    return has_keys || walk_.refuse_at(0, "\"keys\" is missing here", R"(write { "keys": [] } if there are none)");
  }

  bool key() {
    const auto place = walk_.here();
    ApiKeyRecord record;
    std::array<bool, kMembers.size()> written{};
    const bool read = walk_.object([&](std::string_view name) {
      const auto* const member =
          std::find_if(kMembers.begin(), kMembers.end(), [&](const Member& each) { return each.name == name; });
      if (member == kMembers.end()) return unknown_member(name);
      written[static_cast<std::size_t>(member - kMembers.begin())] = true;
      return (this->*member->take)(record);
    });
    if (!read) return false;
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      if (written[i] || kMembers[i].required.empty()) continue;
      return walk_.refuse_at(place, '"' + std::string(kMembers[i].name) + "\" is missing here",
                             std::string(kMembers[i].required));
    }
    if (record.revoked) record.disabled = true;
    keys_.records.push_back(std::move(record));
    keys_.places.push_back({place, walk_.passed()});
    return true;
  }

  bool unknown_member(std::string_view name) {
    if (name == "key") {
      return walk_.refuse_member("a key file holds no key in plain text",
                                 R"(write "sha256" with the digest that `headgate keys hash` prints)");
    }
    std::array<std::string_view, kMembers.size()> known;
    std::transform(kMembers.begin(), kMembers.end(), known.begin(), [](const Member& each) { return each.name; });
    const auto near = nearest(name, known);
    return walk_.refuse_member(
        "unknown member",
        near.empty()
            ? R"(a key has "sha256", "owner", "tier", "tags", "groups", "expires", "disabled", "limits", "note", "issued" and "revoked")"
            : "did you mean \"" + near + "\"?");
  }

  bool digest(ApiKeyRecord& record) {
    std::string text;
    if (!walk_.text(text)) return false;
    if (!read_hex(text, record.digest)) {
      return walk_.refuse(
          "a SHA-256 has 64 hexadecimal digits; this text has " +
              (text.size() == 64 ? "other characters too" : std::to_string(text.size()) + " characters"),
          "`headgate keys hash` makes it of a key");
    }
    const auto [first, fresh] = seen_.emplace(record.digest, keys_.records.size());
    return fresh || walk_.refuse("this key appears twice: /keys/" + std::to_string(first->second) + " has it too",
                                 "remove one of the two; each key has one owner");
  }

  bool name(std::string& out, const char* what) {
    if (!walk_.text(out)) return false;
    return is_name(out) || walk_.refuse(std::string(what) + " has 1 to 64 letters, digits, '-', '_' or '.'");
  }
  bool owner(ApiKeyRecord& record) { return name(record.owner, "an owner's name"); }
  bool tier(ApiKeyRecord& record) { return name(record.tier, "a tier's name"); }
  bool tags(ApiKeyRecord& record) {
    return walk_.list([&] {
      if (record.tags.size() == kMaxTags) return walk_.refuse("a key has at most 16 tags");
      return name(record.tags.emplace_back(), "a tag");
    });
  }
  bool groups(ApiKeyRecord& record) {
    return walk_.object([&](std::string_view name) {
      if (record.groups.size() == kMaxGroups) return walk_.refuse_member("a key has at most 16 groups");
      if (!is_group_name(name))
        return walk_.refuse_member("a group's name has 1 to 128 printable characters, no space, quote or backslash");
      auto& value = record.groups.emplace_back(std::string(name), std::string()).second;
      if (!walk_.text(value)) return false;
      return is_group_value(value) || walk_.refuse("a group has 1 to 256 bytes and no control characters");
    });
  }
  bool disabled(ApiKeyRecord& record) { return walk_.boolean(record.disabled); }

  bool note(ApiKeyRecord&) {
    std::string ignored;
    return walk_.text(ignored);
  }

  bool moment(std::optional<Instant>& out) {
    std::string text;
    if (!walk_.text(text)) return false;
    const auto read = parse_expiry(text);
    if (read.has_error()) return walk_.refuse(read.error().message, read.error().help);
    out = *read;
    return true;
  }
  bool expires(ApiKeyRecord& record) { return moment(record.expires); }
  bool issued(ApiKeyRecord& record) { return moment(record.issued); }
  bool revoked(ApiKeyRecord& record) { return moment(record.revoked); }

  bool limits(ApiKeyRecord& record) {
    return walk_.object([&](std::string_view limit) {
      if (!is_name(limit)) return walk_.refuse_member("a limit's name has 1 to 64 letters, digits, '-', '_' or '.'");
      auto& made = record.overrides.emplace_back();
      made.limit = limit;
      return override_of(made);
    });
  }

  bool override_of(RateOverride& out) {
    if (walk_.next() == JsonKind::text) return rate(out);
    if (walk_.next() != JsonKind::object) return walk_.refuse_kind("a rate or an object");
    const auto place = walk_.here();
    bool has_rate = false;
    const bool read = walk_.object([&](std::string_view member) {
      if (member == "burst") return walk_.whole_number(out.burst.emplace(), 1, kMaxRequests);
      if (member != "rate") return walk_.refuse_member("unknown member", R"(a limit here has "rate" and "burst")");
      has_rate = true;
      return rates(out);
    });
    if (!read) return false;
    if (!has_rate) return walk_.refuse_at(place, "\"rate\" is missing here", R"(add "rate": "500/second")");
    if (!out.burst || out.rates.size() == 1) return true;
    return walk_.refuse_at(place, out.rates.empty() ? "an unlimited limit has no burst" : "a burst belongs to one rate",
                           "leave \"burst\" out");
  }

  bool rates(RateOverride& out) {
    if (walk_.next() == JsonKind::text) return rate(out);
    if (walk_.next() != JsonKind::list) return walk_.refuse_kind("a rate or a list of rates");
    const auto place = walk_.here();
    if (!walk_.list([&] { return one_of_several(out); })) return false;
    return !out.rates.empty() ||
           walk_.refuse_at(place, "a list of rates needs at least one", R"(or write "unlimited")");
  }

  bool rate(RateOverride& out) {
    std::string text;
    if (!walk_.text(text)) return false;
    return text == "unlimited" || add_rate(text, out);
  }

  bool one_of_several(RateOverride& out) {
    std::string text;
    if (!walk_.text(text)) return false;
    return out.rates.size() < kMaxRates ? add_rate(text, out) : walk_.refuse("a list of rates has at most 8");
  }

  bool add_rate(std::string_view text, RateOverride& out) {
    const auto read = parse_rate(text);
    if (read.has_error()) {
      return walk_.refuse("this is not a rate: a count from 1 to " + std::to_string(kMaxRequests) +
                              ", a slash, and a period of at most 366 days",
                          R"(write such as "500/second", "100/minute" or "5000/day")");
    }
    const auto same_period = [&](const Rate& each) { return each.period == read->period && each.month == read->month; };
    if (std::any_of(out.rates.begin(), out.rates.end(), same_period))
      return walk_.refuse("a rate before this one has the same period", "remove one of the two");
    out.rates.push_back(*read);
    return true;
  }

  JsonWalk walk_;
  PlacedKeys keys_;
  std::unordered_map<Sha256, std::size_t, HashOfDigest> seen_;  // index of the record with each digest
};

const std::array<KeyFile::Member, 11> KeyFile::kMembers{{
    {"sha256", &KeyFile::digest, R"(add "sha256" with the digest that `headgate keys hash` prints)"},
    {"owner", &KeyFile::owner, R"(add "owner": the name that its requests are counted by)"},
    {"tier", &KeyFile::tier, ""},
    {"tags", &KeyFile::tags, ""},
    {"groups", &KeyFile::groups, ""},
    {"expires", &KeyFile::expires, ""},
    {"disabled", &KeyFile::disabled, ""},
    {"limits", &KeyFile::limits, ""},
    {"note", &KeyFile::note, ""},
    {"issued", &KeyFile::issued, ""},
    {"revoked", &KeyFile::revoked, ""},
}};

}  // namespace

Result<PlacedKeys, JsonMistake> read_placed_keys(std::string_view json) {
  if (json.size() > kLongestKeyFile)
    return JsonMistake{.message = "a key file has at most 64 MiB", .help = "take out notes and keys that have expired"};
  return KeyFile(json).read();
}

Result<std::vector<ApiKeyRecord>, JsonMistake> read_api_keys(std::string_view json) {
  auto read = read_placed_keys(json);
  if (read.has_error()) return read.error();
  return std::move(read->records);
}

}  // namespace headgate::identity
