#include "page.hpp"

#include "headgate/core/base64.hpp"
#include "headgate/core/markup.hpp"
#include "headgate/identity/sha256.hpp"

namespace headgate::gateway {
namespace {

// The style is inline because a page that loads nothing also appears when all servers are busy.
constexpr std::string_view kStyle = R"(
:root{color-scheme:light dark;--ink:#1a2230;--soft:#5a6577;--paper:#f4f6f9;--card:#fff;--line:#dfe4ec;--accent:@light}
@media(prefers-color-scheme:dark){:root{--ink:#e8edf5;--soft:#a3aebf;--paper:#10151d;--card:#19212d;--line:#2b3646;--accent:@dark}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;place-items:center;padding:1.25rem;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:30rem;padding:clamp(1.5rem,6vw,2.75rem);background:var(--card);border:1px solid var(--line);border-radius:1.25rem;text-align:center;box-shadow:0 1rem 3rem rgb(0 0 0/.07)}
h1{margin:0 0 .6rem;font-size:clamp(1.5rem,6vw,1.9rem);line-height:1.2;text-wrap:balance;overflow-wrap:break-word}
p{margin:.6rem 0;text-wrap:balance;overflow-wrap:break-word}
.problem h1{font-size:clamp(1.2rem,5.4vw,1.65rem)}
.problem p:has(a){margin-top:1.3rem}
a{color:var(--accent)}
.status{margin:1.6rem 0;padding:1.1rem 1rem;border-radius:.9rem;background:color-mix(in srgb,var(--accent) 9%,transparent);font-variant-numeric:tabular-nums}
.status p{margin:.15rem 0}
.status p:first-child{font-size:1.25rem;font-weight:650}
.keep{color:var(--soft);font-size:.9375rem}
.bar{height:.3rem;margin:1.6rem auto 1.1rem;max-width:12rem;border-radius:1rem;background:var(--line);overflow:hidden}
.bar i{display:block;width:40%;height:100%;border-radius:inherit;background:var(--accent);animation:go 1.8s ease-in-out infinite alternate}
@keyframes go{to{transform:translateX(150%)}}
@media(prefers-reduced-motion:reduce){.bar i{animation:none;width:100%;opacity:.6}}
@media(forced-colors:active){.bar i{background:Highlight}main,.status{border:1px solid}}
)";

}  // namespace

void replace_word(std::string& text, std::string_view word, std::string_view by) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
}

std::string page_style(std::string_view light, std::string_view dark) {
  std::string style(kStyle);
  replace_word(style, "@light", light);
  replace_word(style, "@dark", dark);
  return style;
}

std::string page_policy(std::string_view style, std::string_view frame_ancestors) {
  const auto digest = identity::sha256(style);
  return "default-src 'none'; style-src 'sha256-" +
         base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) +
         "'; base-uri 'none'; form-action 'none'; frame-ancestors " + std::string(frame_ancestors);
}

std::string page_beginning(std::string_view language, std::string_view head) {
  return "<!doctype html>\n<html lang=\"" + markup(language) +
         "\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"robots\" content=\"noindex\">\n" +
         std::string(head);
}

}  // namespace headgate::gateway
