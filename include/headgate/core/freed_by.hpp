#pragma once
// Owners of objects of C libraries: std::unique_ptr<BIO, FreedBy<BIO_free>>. Used by net, identity and cli.

namespace headgate {

template <auto kFree>
struct FreedBy {
  template <class T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};

}  // namespace headgate
