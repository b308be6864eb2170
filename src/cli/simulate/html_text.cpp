#include "html_text.hpp"

#include "cli/printable.hpp"

#include "headgate/core/markup.hpp"
#include "headgate/core/moment_text.hpp"
#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace headgate::cli {
namespace {

using simulate::number_text;
using simulate::span_text;

constexpr std::size_t kMaxColumns = 180;
constexpr double kHeight = 100;

/// Returns a short form for axes: "1.2k".
std::string short_number(double number) {
  std::array<char, 32> text{};
  const char* unit = "";
  for (const char* next : {"k", "M", "G"}) {
    if (number < 1000) break;
    number /= 1000;
    unit = next;
  }
  const auto size =
      std::snprintf(text.data(), text.size(), number < 10 && *unit != '\0' ? "%.1f%s" : "%.0f%s", number, unit);
  return {text.data(), static_cast<std::size_t>(std::max(size, 0))};
}

std::string digits(double number) {
  std::array<char, 32> text{};
  const auto size = std::snprintf(text.data(), text.size(), "%.2f", number);
  std::string out(text.data(), static_cast<std::size_t>(std::max(size, 0)));
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

/// Returns the smallest round number that is not below `number`.
std::uint64_t round_up(std::uint64_t number) {
  std::uint64_t power = 1;
  while (true) {
    for (const std::uint64_t factor : {1U, 2U, 3U, 4U, 5U, 6U, 8U})
      if (factor * power >= number) return factor * power;
    power *= 10;
  }
}

std::string time_text(Instant at, const PlotTime& time) {
  using std::chrono::days;
  const auto whole = moment_text(at);
  if (time.until - time.from < std::chrono::minutes(10)) return whole.substr(11, 8);
  if (time.until - time.from > days(4)) return whole.substr(5, 5);
  if (std::chrono::floor<days>(time.from) == std::chrono::floor<days>(time.until)) return whole.substr(11, 5);
  return whole.substr(5, 5) + " " + whole.substr(11, 5);
}

}  // namespace

std::string html(std::string_view text) { return markup(printable(text)); }

std::string plot(const PlotTime& time, const std::vector<std::uint64_t>& requests,
                 const std::vector<std::uint64_t>& rejected, std::string_view some) {
  const auto columns = std::min(kMaxColumns, requests.size());
  if (columns == 0) return {};
  std::vector<std::uint64_t> all(columns);
  std::vector<std::uint64_t> bad(columns);
  std::vector<std::size_t> begins(columns + 1, requests.size());
  for (std::size_t i = requests.size(); i-- > 0;) {
    const auto column = i * columns / requests.size();
    all[column] += requests[i];
    if (i < rejected.size()) bad[column] += rejected[i];
    begins[column] = i;
  }
  // A column for several parts shows the mean of their counts. Otherwise a column with one part more than the others
  // would stand out.
  const auto rate = [&](std::uint64_t count, std::size_t column) {
    return static_cast<double>(count) / static_cast<double>(begins[column + 1] - begins[column]);
  };
  double most = 0;
  for (std::size_t i = 0; i < columns; ++i) most = std::max(most, rate(all[i], i));
  const auto top = static_cast<double>(round_up(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(most + 0.999))));
  std::string out = "<div class=plot><div class=y><span>" + short_number(top) + "</span><span>" +
                    short_number(top / 2) + "</span><span>0</span></div><svg viewBox=\"0 0 " + std::to_string(columns) +
                    " 100\" preserveAspectRatio=none role=img aria-label=\"requests over time\">"
                    "<path class=grid d=\"M0 0H" +
                    std::to_string(columns) + "M0 50H" + std::to_string(columns) + "\"/>";
  for (std::size_t i = 0; i < columns; ++i) {
    if (all[i] == 0 && bad[i] == 0) continue;
    const auto x = digits(static_cast<double>(i) + 0.06);
    const auto column = [&](const char* kind, double value) {
      const auto height = std::min(kHeight, value / top * kHeight);
      out += std::string("<rect class=") + kind + " x=" + x + " width=.88 y=" + digits(kHeight - height) +
             " height=" + digits(height) + "></rect>";
    };
    const auto begin = Instant(time.begin + time.width * static_cast<Duration::rep>(begins[i]));
    out += "<g><title>" + moment_text(begin) + ": " + number_text(all[i]) + " requests, " + number_text(bad[i]) + ' ' +
           html(some) + "</title>";
    column("all", rate(all[i], i));
    if (bad[i] > 0) column("bad", std::max(rate(bad[i], i), top / 100));
    out += "</g>";
  }
  out += "</svg><div class=x>";
  constexpr int kLabels = 4;
  const auto length = time.width * static_cast<Duration::rep>(requests.size());
  for (int i = 0; i <= kLabels; ++i) out += "<span>" + time_text(time.begin + length * i / kLabels, time) + "</span>";
  return out + "</div></div><p class=key><i class=all></i>requests in " + span_text(time.width) + "<i class=bad></i>" +
         html(some) + "</p>";
}

std::string cell_bar(std::uint64_t part, std::uint64_t whole) {
  const auto percent = whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
  return "<span class=bar><span style=\"width:" + digits(std::max(percent, part > 0 ? 1.0 : 0.0)) +
         "%\"></span></span>";
}

const std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--back:#fff;--card:#f6f7f9;--text:#1b1f24;--soft:#5d6673;--line:#dfe3e8;--all:#b9c9e0;--bad:#d4521f;--good:#217a3c;--note:#8a5a00}
@media(prefers-color-scheme:dark){:root{--back:#14171b;--card:#1d2127;--text:#e6e9ed;--soft:#9aa4b1;--line:#31373f;--all:#3d5472;--bad:#ff8250;--good:#63c983;--note:#e0b050}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:62rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2.25rem 0 .5rem}
h3{font-size:.95rem;margin:1.25rem 0 .25rem;color:var(--soft);font-weight:600}
p{margin:.25rem 0}
code{font:.92em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.tag{display:inline-block;font-size:.75rem;font-weight:600;padding:.05rem .5rem;border:1px solid var(--line);border-radius:1rem;color:var(--soft);vertical-align:.12em}
.bad-text{color:var(--bad)}.good-text{color:var(--good)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0}
.tile{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:.7rem .9rem}
.tile b{display:block;font-size:1.5rem;line-height:1.2;font-weight:650}
.tile span{color:var(--soft);font-size:.85rem}
.card{border:1px solid var(--line);border-radius:.6rem;padding:.25rem 1rem 1rem;margin:1rem 0;break-inside:avoid}
.card h2{margin-top:.75rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem;margin:.5rem 0}
th,td{text-align:left;padding:.3rem .6rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap;vertical-align:bottom}
td.n,th.n{text-align:right;white-space:nowrap;padding-left:.6rem}
td:last-child,th:last-child{padding-right:0}
td.k{overflow-wrap:anywhere;min-width:7rem}
tr:last-child td{border-bottom:0}
.no-first :is(th,td):first-child,.no-second :is(th,td):nth-child(2){display:none}
.bar{display:inline-block;width:100%;min-width:3.5rem;height:.6rem;border-radius:.3rem;background:var(--line);overflow:hidden}
.bar>span{display:block;height:100%;background:var(--bad)}
.plot{display:grid;grid-template-columns:auto 1fr;gap:.2rem .5rem;margin:.6rem 0 .2rem}
.plot svg{width:100%;height:9rem;display:block;border-bottom:1px solid var(--line)}
.y{display:flex;flex-direction:column;justify-content:space-between;text-align:right;min-width:2.2rem}
.x{grid-column:2;display:flex;justify-content:space-between}
.x,.y{color:var(--soft);font-size:.75rem;line-height:1}
.grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke;fill:none}
rect.all{fill:var(--all)}rect.bad{fill:var(--bad)}
.key{color:var(--soft);font-size:.8rem}
.key i{display:inline-block;width:.7rem;height:.7rem;border-radius:.15rem;margin:0 .35rem 0 .9rem;vertical-align:-.05rem}
.key i:first-child{margin-left:2.7rem}
i.all{background:var(--all)}i.bad{background:var(--bad)}
ul.notes{padding-left:1.1rem;margin:.5rem 0}
ul.notes li{margin:.2rem 0}
footer{margin-top:2.5rem;color:var(--soft);font-size:.85rem;border-top:1px solid var(--line);padding-top:.75rem}
@media(max-width:34rem){main{padding:1rem .75rem 2rem}.card{padding:.25rem .7rem .8rem}.plot svg{height:7rem}.x span:nth-child(even){display:none}}
@media print{:root{--back:#fff;--card:#fff;--text:#000;--soft:#444;--line:#ccc;--all:#b9c9e0;--bad:#c2410c;--good:#166534;--note:#664400}body{font-size:10pt}main{max-width:none;padding:0}.wide{overflow:visible}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
)css";

}  // namespace headgate::cli
