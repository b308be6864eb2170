#pragma once
// The neutral model: a headgate file in the making. Every translator fills one; write.hpp prints it.

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

/// One object of the file, or one member of "upstreams" and "limits", with what is said about it.
struct DraftEntry {
  struct Field {
    std::string key;
    std::string json;  ///< its value as JSON
  };
  std::string name;                   ///< of an upstream or a limit
  Spot spot;                          ///< where it was found
  std::string from;                   ///< what stands there: "location /api/"
  std::vector<std::string> comments;  ///< lines before it; one_line() is applied
  std::vector<Remark> remarks;        ///< comments before it, too
  std::vector<Field> fields;          ///< in this order
  std::vector<std::string> uses;      ///< of a route: its limits, as JSON each
  bool off = false;                   ///< stands in the file as a comment only
  std::uint64_t precedence = 0;       ///< of a route: the product asks those with a larger one first
  std::string text_prefix;            ///< of a route: it is for all paths that begin with this text, as "/api" does
  std::string closed;                 ///< what protects a route and was not translated: see protect.hpp

  /// Its value as JSON; empty: it has none.
  std::string_view get(std::string_view key) const noexcept;
  /// Replaces or adds; an empty value removes.
  void set(std::string_view key, std::string json);
  void use(const std::string& limit);  ///< a limit's name; each once
};

/// Names that are in use, with the number that the next one like it gets.
using TakenNames = std::map<std::string, unsigned, std::less<>>;

/// The whole file, in its order.
struct Draft {
  std::vector<Remark> remarks;  ///< of no entry
  std::vector<DraftEntry> listeners;
  DraftEntry process;  ///< of the whole file: "pid_file"
  DraftEntry identity;
  DraftEntry timeouts;
  DraftEntry bounds;
  DraftEntry error_pages;
  DraftEntry redis;
  std::vector<DraftEntry> upstreams;
  std::vector<DraftEntry> limits;
  DraftEntry all_routes;
  std::vector<DraftEntry> routes;
  TakenNames upstream_names;
  TakenNames limit_names;
  std::set<std::string> variables;  ///< that the file takes secrets from: their names

  void say(Matter matter, Spot spot, std::string what, std::string why) {
    remarks.push_back({matter, std::move(spot), std::move(what), std::move(why)});
  }
};

void say(DraftEntry& entry, Matter matter, Spot spot, std::string what, std::string why);

/// A name that a limit or an upstream may have: `wanted` with other characters replaced, and "-2" … if it is taken. It
/// is taken then.
std::string free_name(std::string_view wanted, TakenNames& taken);

// Both throw Unreadable where there are too many: routes of several hosts and paths multiply.
void put_route(Draft& draft, DraftEntry route);
void put_limit(Draft& draft, DraftEntry limit);

/// Writes the number of the process beside the file in which `directive` of another product has its own.
void put_pid_file(Draft& draft, const std::string& file, const Spot& spot, const std::string& directive);

/// The upstream that `to` names, which is JSON; or null.
DraftEntry* upstream_in(Draft& draft, std::string_view to) noexcept;

/// What says which requests a route is for, as one text.
std::string requests_of(const DraftEntry& route);
/// Drops routes for the same requests as an earlier one, and says so.
void drop_repeated_routes(Draft& draft);

}  // namespace headgate::translate
