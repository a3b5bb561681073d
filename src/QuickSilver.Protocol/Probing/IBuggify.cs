namespace QuickSilver.Protocol.Probing;

/// <summary>Decides where the protocol takes a rare turn. Implemented by the simulator, as a function of seed, node,
/// site and count.</summary>
internal interface IBuggify
{
    /// <summary>True: take the rare turn here, this time.</summary>
    bool Decide(BuggifySite site);
}
