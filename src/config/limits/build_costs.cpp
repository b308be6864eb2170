// How a route uses a limit: how many requests one of its requests counts as, and which fraction of the limit it has.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"

#include <array>

namespace headgate::config {
namespace {

using gateway::Cost;

struct Source {
  const char* key;
  Cost::From from;
};
constexpr std::array<Source, 3> kSources{{{"by_method", Cost::From::method},
                                          {"header", Cost::From::request_header},
                                          {"response_header", Cost::From::response_header}}};

class CostBuilder {
 public:
  CostBuilder(Build& build, const Node& node, Cost& out)
      : build_(build), report_(build.report), node_(node), out_(out) {}

  void run() {
    const auto source = std::find_if(kSources.begin(), kSources.end(),
                                     [&](const Source& each) { return find(&node_, each.key) != nullptr; });
    if (source == kSources.end()) return;
    out_.from = source->from;
    const bool settles = out_.from == Cost::From::response_header;
    const bool by_method = out_.from == Cost::From::method;
    read_number(&node_, settles ? "hold" : "otherwise", out_.default_value);
    read_number(&node_, "most", out_.most);
    read(&node_, "debt", out_.debt);
    if (!settles && out_.debt)
      refuse_beside(*source, "debt", "remove it: only a cost from the answer can be more than what was held");
    refuse_beside(*source, settles ? "otherwise" : "hold", settles ? "write \"hold\"" : "write \"otherwise\"");
    if (by_method) {
      refuse_beside(*source, "most", "remove it");
      methods();
    } else {
      demand("most", "100");
      if (settles) demand("hold", "1");
      header(*source);
    }
  }

 private:
  void refuse_beside(const Source& source, const char* key, const std::string& help) {
    const Node* written = find(&node_, key);
    if (written == nullptr) return;
    report_.error_at_key(code::kConflict, *written,
                         in_quotes(key) + " and " + in_quotes(source.key) + " cannot be used together", help);
  }

  void demand(const char* key, const std::string& example) {
    if (find(&node_, key) != nullptr) return;
    report_.error(code::kMissing, {node_.span.begin, node_.span.begin + 1}, pointer(node_),
                  in_quotes(key) + " is missing here", "add " + in_quotes(key) + ": " + example);
  }

  void methods() {
    for (const Node* each : children(find(&node_, "by_method"), Kind::object)) {
      std::int64_t cost = 1;
      read_number(find(&node_, "by_method"), each->key, cost);
      out_.methods.emplace_back(each->key, cost);
    }
  }

  void header(const Source& source) {
    const Node* written = text_at(&node_, source.key);
    if (written == nullptr) return;
    out_.header = lower(written->text);
    if (out_.default_value > out_.most && out_.most > 0) {
      const char* default_value = out_.from == Cost::From::response_header ? "hold" : "otherwise";
      if (const Node* place = find(&node_, default_value)) {
        report_.error(code::kConflict, *place,
                      in_quotes(default_value) + " is larger than \"most\", " + std::to_string(out_.most),
                      "lower it, or raise \"most\"");
      }
    }
    if (out_.from == Cost::From::request_header && build_.config.identity.trusted_proxies.empty()) {
      report_.warning(
          code::kBelieved, *written,
          "any caller can write the field " + out_.header + ", and so choose what its request costs",
          "let a proxy in front of headgate write it, and name that proxy in \"trusted_proxies\"; or take the cost "
          "from the answer with \"response_header\"");
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  Cost& out_;
};

}  // namespace

void build_use(Build& build, const Node& node, gateway::LimitUse& out) {
  read(&node, "use", out.limit);
  read_number(&node, "cost", out.cost.default_value);
  if (const Node* cost = find(&node, "cost"); cost != nullptr && cost->kind == Kind::object)
    CostBuilder(build, *cost, out.cost).run();
  const Node* scale = text_at(&node, "scale");
  if (scale == nullptr) return;
  if (const auto read = parse_scale(scale->text); read.has_value()) {
    out.scale_up = read->up;
    out.scale_down = read->down;
  }
}

}  // namespace headgate::config
