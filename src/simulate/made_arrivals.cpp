#include "headgate/simulate/made_arrivals.hpp"

#include "words.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace headgate::simulate {
namespace {

constexpr const char* kExample = R"(write "poisson 100/s for 10m, burst 2000 at 5m, 3 tenants zipf")";
constexpr std::array<std::string_view, 5> kClauses{"steady", "poisson", "burst", "path", "method"};
constexpr Instant kBegin{std::chrono::sys_days(std::chrono::year(2026) / 1 / 5)};

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  Result<ArrivalPattern, TextFault> run() {
    for (std::size_t at = 0; at <= text_.size();) {
      const auto end = std::min(text_.find(',', at), text_.size());
      WordReader words(text_.substr(at, end - at), at);
      if (auto wrong = clause(words)) return *wrong;
      at = end + 1;
    }
    if (out_.streams.empty()) return TextFault{0, 1, "no requests are described", kExample};
    return std::move(out_);
  }

 private:
  using Wrong = std::optional<TextFault>;

  Wrong clause(WordReader& words) {
    const auto first = words.next();
    Wrong wrong;
    if (first.text.empty()) {
      wrong = first.fault("a clause is missing here", kExample);
    } else if (first.text == "steady" || first.text == "poisson") {
      wrong = stream(words, first.text == "steady" ? ArrivalPattern::Kind::steady : ArrivalPattern::Kind::poisson);
    } else if (first.text == "burst") {
      wrong = burst(words);
    } else if (first.text == "path") {
      wrong = path(words);
    } else if (first.text == "method") {
      wrong = method(words);
    } else if (const auto number = whole_number<std::uint64_t>(first.text)) {
      wrong = tenants(words, first, *number);
    } else {
      const auto near = nearest(first.text, kClauses);
      wrong = first.fault("\"" + std::string(first.text) + "\" begins no clause",
                          near.empty() ? kExample : "did you mean \"" + near + "\"?");
    }
    if (wrong) return wrong;
    if (const auto more = words.next(); !more.text.empty())
      return more.fault("\"" + std::string(more.text) + "\" is not understood here", "put a comma between clauses");
    return {};
  }

  static Wrong duration(WordReader& words, const char* what, Duration& out) {
    const auto word = words.next();
    if (word.text.empty()) return word.fault(std::string(what) + " is missing", "write \"10m\", \"30s\", \"1h\" …");
    if (word.text == "0" || word.text == "0s") {
      out = Duration(0);
      return {};
    }
    const auto read = parse_duration(word.text);
    if (read.has_error()) return word.fault(read.error().message, read.error().help);
    out = *read;
    return {};
  }

  Wrong add(const ArrivalPattern::Stream& stream, const Word& place) {
    if (out_.streams.size() == ArrivalPattern::kMaxStreams)
      return place.fault("there are more than " + std::to_string(ArrivalPattern::kMaxStreams) + " streams and bursts",
                         "leave some out");
    out_.streams.push_back(stream);
    return {};
  }

  Wrong stream(WordReader& words, ArrivalPattern::Kind kind) {
    const auto place = words.peek();
    const auto rate = words.next();
    if (rate.text.empty()) return rate.fault("a rate is missing", "write \"100/s\"");
    const auto read = parse_rate(rate.text);
    if (read.has_error()) return rate.fault(read.error().message, read.error().help);
    ArrivalPattern::Stream stream{.kind = kind, .rate = *read, .begin = end_};
    bool has_length = false;
    while (!words.done()) {
      const auto word = words.next();
      Wrong wrong;
      if (word.text == "for") {
        wrong = duration(words, "a time", stream.length);
        has_length = true;
        if (!wrong && stream.length == Duration(0)) wrong = word.fault("it lasts no time", "write \"for 10m\"");
      } else if (word.text == "at") {
        wrong = duration(words, "a time", stream.begin);
      } else {
        wrong = word.fault("\"" + std::string(word.text) + "\" is not understood here", "write \"for 10m\", \"at 5m\"");
      }
      if (wrong) return wrong;
    }
    if (!has_length) return words.next().fault("the length of time is missing", "write \"for 10m\" behind the rate");
    end_ = stream.begin + stream.length;
    return add(stream, place);
  }

  Wrong burst(WordReader& words) {
    const auto word = words.next();
    const auto number = whole_number<std::uint64_t>(word.text);
    if (!number || *number == 0 || *number > ArrivalPattern::kMaxBurst)
      return word.fault("a burst has from 1 to " + std::to_string(ArrivalPattern::kMaxBurst) + " requests",
                        "write \"burst 2000 at 5m\"");
    ArrivalPattern::Stream stream{.kind = ArrivalPattern::Kind::burst, .rate = {}, .count = *number};
    if (!words.done()) {
      const auto at = words.next();
      if (at.text != "at")
        return at.fault("\"" + std::string(at.text) + "\" is not understood here", "write \"burst 2000 at 5m\"");
      if (auto wrong = duration(words, "a time", stream.begin)) return wrong;
    }
    return add(stream, word);
  }

  Wrong tenants(WordReader& words, const Word& first, std::uint64_t number) {
    const auto word = words.next();
    if (word.text != "tenants" && word.text != "tenant")
      return word.fault("a number is followed by \"tenants\"", "write \"3 tenants zipf\"");
    if (number == 0 || number > ArrivalPattern::kMaxTenants)
      return first.fault("there are from 1 to " + std::to_string(ArrivalPattern::kMaxTenants) + " tenants",
                         "write \"3 tenants zipf\"");
    out_.tenants = number;
    if (words.done()) return {};
    const auto how = words.next();
    if (how.text != "zipf" && how.text != "even")
      return how.fault("\"" + std::string(how.text) + "\" does not say how requests are divided among them",
                       "write \"zipf\" or \"even\"");
    out_.zipf = how.text == "zipf";
    return {};
  }

  Wrong path(WordReader& words) {
    const auto word = words.next();
    if (!word.text.starts_with('/')) return word.fault("a path begins with '/'", "write \"path /v1/items\"");
    out_.path = word.text;
    return {};
  }

  Wrong method(WordReader& words) {
    const auto word = words.next();
    const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
    if (word.text.empty() || !std::ranges::all_of(word.text, letter))
      return word.fault("a method is written in capital letters", "write \"method POST\"");
    out_.method = word.text;
    return {};
  }

  std::string_view text_;
  ArrivalPattern out_;
  Duration end_{0};  ///< end of the previous stream
};

}  // namespace

Result<ArrivalPattern, TextFault> parse_arrivals(std::string_view text) { return PatternReader(text).run(); }

MadeArrivals::MadeArrivals(const ArrivalPattern& pattern, std::uint64_t seed) : pattern_(pattern), random_(seed) {
  for (const auto& stream : pattern_.streams) {
    auto& source = sources_.emplace_back();
    source.stream = stream;
    if (stream.kind == ArrivalPattern::Kind::poisson) advance(source);
  }
  double sum = 0;
  for (std::uint64_t i = 1; i <= pattern_.tenants; ++i)
    shares_.push_back(sum += pattern_.zipf ? 1 / static_cast<double>(i) : 1);
  arrival_.method = pattern_.method;
  const auto query = std::min(pattern_.path.find('?'), pattern_.path.size());
  arrival_.path = std::string_view(pattern_.path).substr(0, query);
  arrival_.query = std::string_view(pattern_.path).substr(query);
  arrival_.host = "localhost";
  arrival_.assumed.hides_bodies = true;
}

Duration MadeArrivals::Source::due() const noexcept { return stream.begin + Duration(static_cast<Duration::rep>(at)); }

void MadeArrivals::advance(Source& source) {
  const auto& stream = source.stream;
  ++source.made;
  if (stream.kind == ArrivalPattern::Kind::burst) {
    source.over = source.made == stream.count;
    return;
  }
  const auto gap = static_cast<double>(stream.rate.period.count()) / static_cast<double>(stream.rate.count);
  if (stream.kind == ArrivalPattern::Kind::poisson)
    source.at += -std::log1p(-random_.even()) * gap;
  else
    source.at = gap * static_cast<double>(source.made);
  source.over = source.at >= static_cast<double>(stream.length.count());
}

std::uint64_t MadeArrivals::draw_tenant() {
  if (shares_.size() == 1) return 0;
  const auto drawn = random_.even() * shares_.back();
  const auto at = std::ranges::upper_bound(shares_, drawn) - shares_.begin();
  return std::min<std::uint64_t>(static_cast<std::uint64_t>(at), shares_.size() - 1);
}

const engine::RequestArrival* MadeArrivals::next() {
  Source* first = nullptr;
  for (auto& source : sources_)
    if (!source.over && (first == nullptr || source.due() < first->due())) first = &source;
  if (first == nullptr) return nullptr;
  constexpr std::uint32_t kTenants = 0xC6120000U;  // 198.18.0.0
  const auto tenant = draw_tenant();
  arrival_.at = kBegin + first->due();
  arrival_.address = boost::asio::ip::address_v4(kTenants + 1 + static_cast<std::uint32_t>(tenant));
  tenant_ = "tenant-" + std::to_string(tenant + 1);
  advance(*first);
  return &arrival_;
}

}  // namespace headgate::simulate
