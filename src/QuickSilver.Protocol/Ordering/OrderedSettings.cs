using QuickSilver.Protocol.Modes;

namespace QuickSilver.Protocol.Ordering;

/// <summary>What an ordered group promises of the messages that this node sends.</summary>
internal sealed record OrderedSettings : ModeSettings
{
    /// <summary>True: a message is delivered once every member of the ring holds it. A message may say otherwise.
    /// </summary>
    public bool IsSafe { get; init; }
}
