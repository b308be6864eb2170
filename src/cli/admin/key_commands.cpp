// Implements headgate keys issue, list and revoke: API keys through a running gateway. Commands for the key file alone
// are in cli/keys.

#include "admin_call.hpp"
#include "cli/commands.hpp"
#include "cli/keys/key_groups.hpp"
#include "cli/printable.hpp"
#include "cli/text_table.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace headgate::cli {
namespace {

struct KeyCallOptions {
  AdminOptions admin;
  std::string id;
  std::string owner;
  std::string tier;
  std::string expires;
  std::string prefix;
  std::vector<std::string> tags;
  std::vector<std::string> groups;
};

/// Returns where a change is in force and what is wrong with that, to be appended to its description.
std::string where_text(const Json& answer) {
  const auto file = answer.find("file");
  if (file != answer.end() && file->is_object() && file->contains("why"))
    std::fprintf(stderr, "headgate: warning: the key file does not have it yet: %s\n",
                 printable(text_in(*file, "why")).c_str());
  return heard_text(answer);
}

AdminRequest issue_request(const KeyCallOptions& options) {
  Json body = {{"owner", options.owner}};
  if (!options.tier.empty()) body["tier"] = options.tier;
  if (!options.tags.empty()) body["tags"] = options.tags;
  for (const auto& each : options.groups) {
    const auto [name, value] = group_in(each);
    body["groups"][std::string(name)] = value;
  }
  if (!options.expires.empty()) body["expires"] = options.expires;
  if (!options.prefix.empty()) body["prefix"] = options.prefix;
  return {
      .method = "POST", .target = "/api/v1/keys", .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

/// Prints an issued key. Only the key itself goes to stdout, so that a script can read it.
void print_issued(const Json& answer) {
  print_line(text_in(answer, "key"));
  std::fprintf(stderr, "headgate: the key of %s, shown only once; its id is %s%s\n",
               printable(text_in(answer, "owner")).c_str(), printable(text_in(answer, "id")).c_str(),
               where_text(answer).c_str());
}

/// Returns "team=search, organisation=acme".
std::string groups_in(const Json& key) {
  std::string out;
  const auto groups = key.find("groups");
  if (groups == key.end() || !groups->is_object()) return out;
  for (const auto& [name, value] : groups->items()) {
    if (!out.empty()) out += ", ";
    out += name + '=' + text_in(*groups, name.c_str());
  }
  return out;
}

void print_keys(const Json& answer) {
  TextTable table({"id", "owner", "tier", "tags", "groups", "state", "expires", "issued"});
  for (const auto& key : list_in(answer, "keys")) {
    const auto state = text_in(key, "state");
    table.row({text_in(key, "id"),
               text_in(key, "owner"),
               text_in(key, "tier"),
               words_in(key, "tags"),
               groups_in(key),
               {state, state == "valid" ? Paint::none : Paint::bad},
               text_in(key, "expires"),
               text_in(key, "issued")});
  }
  std::fputs(table.empty() ? "no API key is known\n" : table.text(stdout_has_colours(), stdout_width()).c_str(),
             stdout);
  if (const auto after = text_in(answer, "after"); !after.empty())
    std::fprintf(stderr, "headgate: there may be more keys: headgate keys list --after %s\n", printable(after).c_str());
}

void offer_list(CLI::App& keys, int& result) {
  const auto options = std::make_shared<KeyCallOptions>();
  auto* list = keys.add_subcommand("list", "List the records of the keys that a running gateway knows");
  offer_admin(*list, options->admin);
  list->add_option("--owner", options->owner, "Only keys of this owner");
  list->add_option("--after", options->id, "Start after the key with this id, for the next part of a long list");
  list->callback([options, &result] {
    std::string query;
    if (!options->owner.empty()) query += "?owner=" + in_path(options->owner);
    if (!options->id.empty()) query += (query.empty() ? "?after=" : "&after=") + in_path(options->id);
    result = call_and_print(options->admin, {.target = "/api/v1/keys" + query}, print_keys);
  });
}

}  // namespace

void offer_key_calls(CLI::App& keys, int& result) {
  const auto wanted = std::make_shared<KeyCallOptions>();
  auto* issue = keys.add_subcommand(
      "issue", "Have a running gateway make a key, which is shown once, for all gateways that share Redis");
  offer_admin(*issue, wanted->admin);
  issue->add_option("--owner", wanted->owner, "The owner's name: the key's requests count for it")->required();
  issue->add_option("--tier", wanted->tier, "The key's tier in limits that have tiers");
  issue->add_option("--tag", wanted->tags, "A tag, which routes can require; repeatable");
  offer_groups(*issue, wanted->groups);
  issue->add_option("--expires", wanted->expires,
                    "The last day (in UTC) on which the key is valid, as in 2027-01-31, or a time of RFC 3339");
  issue->add_option("--prefix", wanted->prefix, "Prefix of the key, for secret scanners (default: hg)");
  issue->callback([wanted, &result] { result = call_and_print(wanted->admin, issue_request(*wanted), print_issued); });
  offer_list(keys, result);
  const auto gone = std::make_shared<KeyCallOptions>();
  auto* revoke =
      keys.add_subcommand("revoke", "Have a running gateway revoke a key, for all gateways that share Redis");
  offer_admin(*revoke, gone->admin);
  revoke->add_option("id", gone->id, "The key's id, as `headgate keys list` shows it")->required();
  revoke->callback([gone, &result] {
    result = call_and_print(gone->admin, {.method = "DELETE", .target = "/api/v1/keys/" + in_path(gone->id)},
                            [](const Json& answer) {
                              print_line("the key " + text_in(answer, "id") + " of " + text_in(answer, "owner") +
                                         " is revoked" + where_text(answer));
                            });
  });
}

}  // namespace headgate::cli
