#include "headgate/config/layout.hpp"

#include "config/text/codes.hpp"
#include "config/text/document.hpp"
#include "config/text/report.hpp"
#include "tree.hpp"

#include <utility>

namespace headgate::config {
namespace {

// Number of passes after which the layout must be stable. Breaking a long line may let two columns join, which may
// change further lines; each pass keeps the choices of the previous pass.
constexpr int kPasses = 8;

}  // namespace

LaidOut lay_out(std::string_view source) {
  Report report(source);
  const auto parsed = parse(source, report);
  if (report.has_errors()) return {.text = std::nullopt, .mistakes = report.take()};
  auto text = write_layout(read_layout(source));
  for (int i = 0; i < kPasses; ++i) {
    auto again = write_layout(read_layout(text));
    if (again == text) break;
    text = std::move(again);
  }
  if (content_of(text) == content_of(source)) return {.text = std::move(text), .mistakes = {}};
  // Only a bug in the layout leads here. It is better to refuse the file than to lose content of it.
  report.error(code::kTooBig, Span{0, 1}, "", "this file cannot be laid out", "leave it as it is, and report it");
  return {.text = std::nullopt, .mistakes = report.take()};
}

}  // namespace headgate::config
