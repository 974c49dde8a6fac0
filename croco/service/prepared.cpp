// SPDX-License-Identifier: Apache-2.0
#include <croco/service/prepared.hpp>

#include <algorithm>
#include <utility>

namespace croco {

PreparedExplainers::Prepared PreparedExplainers::find(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(entries_, key, &Entry::key);
  if (found == entries_.end()) {
    ++counts_.misses;
    return nullptr;
  }
  ++counts_.hits;
  entries_.splice(entries_.begin(), entries_, found);
  return entries_.front().prepared;
}

PreparedExplainers::Prepared PreparedExplainers::get(const std::string& key,
                                                     const std::function<Prepared()>& make) {
  Prepared wanted = find(key);
  if (!wanted) {
    Prepared made = make();  // without the lock: others may be served meanwhile
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(entries_, key, &Entry::key);
    if (found == entries_.end()) {
      entries_.push_front({key, made});
      wanted = std::move(made);
    } else {
      wanted = found->prepared;
    }
  }
  trim();
  return wanted;
}

void PreparedExplainers::trim() {
  while (drop_oldest()) {
  }
}

bool PreparedExplainers::drop_oldest() {
  std::list<Entry> dropped;  // destroyed without the lock
  const std::scoped_lock lock(mutex_);
  if (entries_.size() <= 1 || (entries_.size() <= most_ && !is_too_much_())) return false;
  dropped.splice(dropped.begin(), entries_, std::prev(entries_.end()));
  return true;
}

PreparedExplainers::Counts PreparedExplainers::counts() const {
  const std::scoped_lock lock(mutex_);
  Counts out = counts_;
  out.kept = entries_.size();
  return out;
}

}  // namespace croco
