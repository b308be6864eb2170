// Which lines the access log has, and with which fields.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

namespace headgate::config {
namespace {

void build_fields(Build& build, const Node& written) {
  auto& out = build.config.log;
  out.fields = 0;
  for (const Node* each : texts(&written)) {
    const auto field = observe::access_field(each->text);
    if (!field) continue;  // reported
    const auto bit = observe::AccessFieldSet{1} << *field;
    if ((out.fields & bit) != 0)
      build.report.error(code::kDuplicate, *each, in_quotes(each->text) + " appears twice in this list",
                         "remove one of the two");
    out.fields |= bit;
  }
  if (out.format != observe::LogFormat::json && out.access != "journald" && !out.access.starts_with("journald:"))
    build.report.error_at_key(code::kConflict, written, "only the format \"json\" has fields to choose",
                              R"(write "format": "json", or leave "fields" out)");
}

}  // namespace

void build_access_lines(Build& build) {
  const Node* log = find(&build.root, "log");
  if (const Node* fields = find(log, "fields"); fields != nullptr && fields->kind == Kind::list)
    build_fields(build, *fields);
  if (const Node* share = text_at(log, "keep_ok"))
    if (const auto read = parse_sample(share->text); read.has_value()) build.config.log.keep_ok = *read;
  read(log, "refusals_every", build.config.log.refusals_every);
}

}  // namespace headgate::config
