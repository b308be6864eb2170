#pragma once
// A headgate file that is being built. Each importer fills a draft, and write.hpp prints it.

#include "headgate/translate/translate.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::translate {

/// An object of the file, or a member of "upstreams" or "limits", with its comments and remarks.
struct DraftEntry {
  struct Field {
    std::string key;
    std::string json;  ///< value as JSON
  };
  std::string name;                   ///< name of an upstream or a limit
  Spot spot;                          ///< place in the product's file
  std::string from;                   ///< text at that place, such as "location /api/"
  std::vector<std::string> comments;  ///< lines before the entry; one_line() is applied to them
  std::vector<Remark> remarks;        ///< remarks on the entry; they are also printed as comments before it
  std::vector<Field> fields;          ///< in the order of the file
  std::vector<std::string> uses;      ///< limits of a route, each as JSON
  bool off = false;                   ///< whether the entry is printed only as a comment
  std::uint64_t precedence = 0;       ///< of a route: the product checks routes with a larger value first
  std::string text_prefix;  ///< of a route: matches all paths that begin with this text, so "/api" matches "/apix"
  std::string closed;       ///< name of the protection that was not translated; see protect.hpp

  /// Returns the value as JSON, or an empty text if the key is not set.
  std::string_view get(std::string_view key) const noexcept;
  /// Replaces or adds the value. An empty value removes the key.
  void set(std::string_view key, std::string json);
  void use(const std::string& limit);  ///< Adds the name of a limit, unless the route has it already.
};

/// The names that are taken, each with the number for the next entry that wants the same name.
using TakenNames = std::map<std::string, unsigned, std::less<>>;

/// The whole file. The members are in the order in which they are printed.
struct Draft {
  std::vector<Remark> remarks;  ///< remarks that belong to no entry
  std::vector<DraftEntry> listeners;
  DraftEntry process;  ///< keys of the whole file, such as "pid_file"
  DraftEntry identity;
  DraftEntry timeouts;
  DraftEntry bounds;
  DraftEntry error_pages;
  DraftEntry redis;
  std::vector<DraftEntry> upstreams;
  std::vector<DraftEntry> limits;
  DraftEntry all_routes;
  std::vector<DraftEntry> decide;
  std::vector<DraftEntry> routes;
  TakenNames upstream_names;
  TakenNames limit_names;
  std::set<std::string> variables;  ///< names of the variables that hold secrets

  void say(Matter matter, Spot spot, std::string what, std::string why) {
    remarks.push_back({matter, std::move(spot), std::move(what), std::move(why)});
  }
};

void say(DraftEntry& entry, Matter matter, Spot spot, std::string what, std::string why);

/// Returns a valid name for a limit or an upstream and marks it as taken. Replaces characters of `wanted` that are not
/// allowed, and appends "-2" and so on if the name is taken.
std::string free_name(std::string_view wanted, TakenNames& taken);

// Add a route or another entry. All throw Unreadable if there are too many entries, because routes multiply with hosts
// and paths.
void put_route(Draft& draft, DraftEntry route);
void put_limit(Draft& draft, DraftEntry limit);
void put_decision(Draft& draft, DraftEntry entry);  ///< adds an entry of "decide"

/// Sets "pid_file" to a file in the same folder as the product's own. `directive` is the product's line.
void put_pid_file(Draft& draft, const std::string& file, const Spot& spot, const std::string& directive);

/// Returns the upstream that `to` names as JSON, or null.
DraftEntry* upstream_in(Draft& draft, std::string_view to) noexcept;

/// Returns the conditions of a route as one text.
std::string requests_of(const DraftEntry& route);
/// Drops each route that has the same conditions as an earlier one, with a remark.
void drop_repeated_routes(Draft& draft);

}  // namespace headgate::translate
