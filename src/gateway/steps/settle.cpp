// Settles costs that are known only from the answer.

#include "gateway/limits/settle.hpp"

#include "gateway/admission/holds.hpp"
#include "gateway/admission/learn_use.hpp"
#include "gateway/bodies/clamped_body.hpp"
#include "gateway/servers/held_body.hpp"
#include "steps.hpp"

namespace headgate::gateway {
namespace {

/// Writes the maximum of output that the limits have granted into the body.
void write_clamped(Exchange& x) {
  for (const auto& edit : clamping_edits(x, x.held->bytes())) {
    x.held->replace(edit.at, edit.size, edit.text);
    if (auto& framing = x.request.framing; framing.kind == http::Framing::Kind::length)
      framing.length = framing.length + edit.text.size() - edit.size;
  }
}

}  // namespace

MaybeProblem note_served(Path& /*path*/, Exchange& x) {
  x.admission.served = true;
  if (x.clamped > 0) [[unlikely]]
    write_clamped(x);
  return {};
}

void settle_costs(Path& path, Exchange& x) {
  settle(x, path.services.memory, *path.outage);
  if (x.learned != nullptr && x.bodies) learn_use(x);
  end_holds(path, x);
}

}  // namespace headgate::gateway
