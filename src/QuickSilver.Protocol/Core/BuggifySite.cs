namespace QuickSilver.Protocol.Core;

/// <summary>
/// Places where the protocol may, at the simulator's whim, take a rare but legal turn: a timer that fires early, something sent twice, a store that
/// claims to be full. Nothing may break by it; it makes rare states common. Production never takes such a turn: see <see cref="Probes.Here"/>.
/// </summary>
internal enum BuggifySite : byte
{
    /// <summary>A packet that could be stored is refused for want of room; it comes again by recovery.</summary>
    StoreRefused,
}
