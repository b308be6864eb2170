// Appointments of a limit, and the keys that sign them.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/gateway/compiled_config.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/appointment.hpp"

#include <algorithm>
#include <chrono>

namespace headgate::config {
namespace {

constexpr Key kAppointmentKeys[] = {
    {"ahead", &kDuration, "5m", R"("5m")", "Latest start of an appointment, from now",
     into<&limit::AppointmentTerms::ahead>},
    {"width", &kDuration, "10s", R"("10s")", "Time after its start in which an appointment can be kept",
     into<&limit::AppointmentTerms::width>},
};
constexpr Section kAppointments{"appointments", "limits.<name>.appointments", "When a rejected request may come back.",
                                kAppointmentKeys};
constexpr Shape kAppointmentsObject = section(kAppointments);
constexpr const Shape* kAppointmentsForms[] = {&kBoolean, &kAppointmentsObject};

constexpr Shape kSigningKey = text("a key", check_not_empty);
constexpr Shape kSigningKeyList = list("a list of keys", kSigningKey, 1, 8);
constexpr Key kSigningKeys[] = {
    {"keys", &kSigningKeyList, "", R"(["${HEADGATE_SIGNING_KEY}"])",
     "Secrets of at least 32 bytes, the same on all gateways. The first one signs; all are accepted", required},
};
constexpr Section kSigning{"signing", "signing", "Keys that sign appointments.", kSigningKeys};

}  // namespace

constexpr Shape kAppointmentsShape = either("true, false or an object", kAppointmentsForms);
constexpr Shape kSigningShape = section(kSigning);

namespace {

constexpr std::size_t kMinKey = 32;

class AppointmentBuilder {
 public:
  AppointmentBuilder(Build& build, const Node& limit, const Node& written, limit::Limit& out)
      : build_(build), report_(build.report), node_(limit), written_(written), out_(out) {}

  void run() {
    if (written_.kind == Kind::boolean && written_.text == "false") return;
    auto& terms = out_.appointments.emplace(limit::AppointmentTerms{std::chrono::minutes(5), std::chrono::seconds(10)});
    fill(&written_, kAppointments, terms);
    if (out_.mode == limit::Mode::observe) {
      report_.warning_at_key(code::kNoEffect, written_,
                             "a limit that only observes rejects nobody, and so does not hand out appointments",
                             R"(write "mode": "enforce", or remove it)");
    }
    if (build_.config.gateway.signing_keys.empty() && find(&build_.root, "signing") == nullptr) {
      report_.error_at_key(code::kMissing, written_, "appointments are signed, and there is no signing key",
                           R"(add "signing": { "keys": ["${HEADGATE_SIGNING_KEY}"] } at the top)");
    }
    if (conflicts()) return;
    width(terms);
    ahead(terms);
    strangers();
    for (auto& tier : out_.tiers)
      for (auto& rule : tier.rules) rule.leases = false;  // a leased permit is no longer in the counter
  }

 private:
  void refuse(const Node& node, const std::string& message, const std::string& help) {
    report_.error_at_key(code::kConflict, node, message, help);
  }

  bool conflicts() {
    const auto errors = report_.errors();
    for (const auto& tier : out_.tiers) {
      for (const auto& rule : tier.rules) {
        if (!rule.algorithm->refills) {
          refuse(written_,
                 "nobody knows when a request in flight ends, so an \"in_flight\" limit cannot hand out appointments",
                 "remove it");
        } else if (rule.wait.count() > 0) {
          refuse(written_,
                 "\"wait\" delays a request until its permit comes, and \"appointments\" sends it away until then",
                 "remove one of the two");
        } else if (!limit::can_appoint(rule)) {
          refuse(written_, in_quotes(rule.algorithm->name) + " does not hand out appointments",
                 R"(choose "token_bucket", or remove it)");
        }
        if (report_.errors() > errors) return true;
      }
    }
    if (out_.shards > 1)
      refuse(written_, "an appointment is counted in one counter, and \"shards\" divides it into several",
             "remove one of the two");
    if (const Node* count = find(&node_, "count"))
      refuse(*count, "\"count\" gives permits back after the answer, and an appointment has taken them long before",
             "remove \"count\" or \"appointments\"");
    return report_.errors() > errors;
  }

  void width(const limit::AppointmentTerms& terms) {
    const Node* written = text_at(&written_, "width");
    if (written == nullptr || terms.width >= std::chrono::seconds(1)) return;
    report_.error(code::kConflict, *written,
                  "an appointment lasts at least 1s, because \"Retry-After\" is a number of whole seconds",
                  R"(write "width": "10s")");
  }

  /// Warns about a key that strangers share.
  void strangers() {
    if (gateway::is_own_key(out_)) return;
    report_.warning_at_key(
        code::kBelieved, written_,
        "callers who share a key of this limit also share its appointments: a caller that books appointments and does "
        "not keep them wastes them for all, although one address can book at most a tenth of them",
        R"(count by caller, as in "per": "api_key", where callers do not trust each other)");
  }

  // The first permit that becomes free must not be too far ahead.
  void ahead(const limit::AppointmentTerms& terms) {
    for (const auto& tier : out_.tiers) {
      for (const auto& rule : tier.rules) {
        const auto permit = rule.rate.period / static_cast<std::int64_t>(rule.rate.count);
        if (permit <= terms.ahead) continue;
        const Node* place = text_at(&written_, "ahead");
        report_.error(code::kConflict, place == nullptr ? written_ : *place,
                      "a permit of " + in_quotes(to_text(rule.rate)) + " comes back every " + to_text(permit) +
                          ", and no appointment is further ahead than " + to_text(terms.ahead),
                      R"(write "ahead": ")" + to_text(2 * permit) + '"');
        return;
      }
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  const Node& written_;
  limit::Limit& out_;
};

}  // namespace

void build_appointments(Build& build, const Node& node, limit::Limit& out) {
  if (const Node* written = find(&node, "appointments")) AppointmentBuilder(build, node, *written, out).run();
}

void build_signing(Build& build) {
  const Node* signing = find(&build.root, "signing");
  for (const Node* each : texts(find(signing, "keys"))) {
    auto& keys = build.config.gateway.signing_keys;
    if (each->text.size() < kMinKey) {
      build.report.error(code::kCredentials, *each,
                         "a signing key has at least " + std::to_string(kMinKey) + " bytes, and this one has " +
                             std::to_string(each->text.size()),
                         "make one: openssl rand -hex 32");
    } else if (std::find(keys.begin(), keys.end(), each->text) != keys.end()) {
      build.report.error(code::kDuplicate, *each, "this key appears twice", "remove one of the two");
    }
    keys.push_back(each->text);
  }
  const auto limits = children(find(&build.root, "limits"), Kind::object);
  const bool any = std::any_of(limits.begin(), limits.end(), [](const Node* limit) {
    const Node* written = find(limit, "appointments");
    return written != nullptr && written->text != "false";
  });
  if (signing != nullptr && !any)
    build.report.warning_at_key(code::kUnused, *signing, "\"signing\" has no effect: no limit hands out appointments",
                                "remove the block");
}

}  // namespace headgate::config
