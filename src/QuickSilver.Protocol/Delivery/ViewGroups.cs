using QuickSilver.Protocol.Membership;

namespace QuickSilver.Protocol.Delivery;

/// <summary>From a region's group indices, as records carry them, to the open stays: one array access per message.</summary>
/// <param name="View">The view.</param>
/// <param name="ByIndex">The present stay in each group of the region; null where there is none.</param>
internal readonly record struct ViewGroups(RegionView View, GroupReceiver?[] ByIndex);
