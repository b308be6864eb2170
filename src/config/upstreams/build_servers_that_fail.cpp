#include "build_servers_that_fail.hpp"

#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

namespace headgate::config {
namespace {

void read_share_at(const Node& node, const char* key, std::uint32_t& out) {
  const Node* written = text_at(&node, key);
  if (written == nullptr) return;
  if (const auto share = parse_share(written->text); share.has_value()) out = *share;
}

void build_eject(Build& build, const Node& node, balance::EjectOptions& out) {
  read_number(&node, "in_a_row", out.in_a_row);
  read_share_at(node, "share", out.share);
  read(&node, "of_last", out.of_last);
  read_number(&node, "at_least", out.at_least);
  read(&node, "silent", out.silent);
  read_number(&node, "slower", out.slower);
  read(&node, "time", out.time);
  read(&node, "longest", out.longest);
  read_share_at(node, "most", out.most);
  read_share_at(node, "panic_below", out.panic_below);
  if (out.longest >= out.time) return;
  const Node* written = find(&node, "longest");
  build.report.error(code::kConflict, written != nullptr ? *written : *find(&node, "time"),
                     "\"longest\" (" + to_text(out.longest) + ") is shorter than \"time\" (" + to_text(out.time) + ")",
                     "raise \"longest\" or lower \"time\"");
}

}  // namespace

void build_servers_that_fail(Build& build, const Node& node, upstream::Options& out) {
  if (const Node* written = find(&node, "eject")) {
    out.eject.on = written->kind == Kind::object;
    if (out.eject.on) build_eject(build, *written, out.eject);
    if (out.eject.on && out.servers.size() == 1)
      build.report.warning_at_key(code::kNoEffect, *written,
                                  "\"eject\" has no effect: a single server is never ejected",
                                  "add a server, or remove it");
  }
  const Node* written = find(&node, "circuit");
  if (written == nullptr || written->kind != Kind::object) return;
  auto& circuit = out.circuit.emplace();
  build.config.gateway.circuits.push_back(out.name);
  read_share_at(*written, "open_at", circuit.open_at);
  read(written, "of_last", circuit.of_last);
  read_number(written, "at_least", circuit.at_least);
  read(written, "try_again", circuit.try_again);
}

}  // namespace headgate::config
