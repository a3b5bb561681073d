namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// The group of all nodes that are in ordered groups or publish to them: its view is their ring. No message is sent to
/// it.
/// </summary>
internal static class RingGroup
{
    /// <summary>Its name, which no application may use.</summary>
    public const string Name = "quicksilver.ordered-ring";

    /// <summary>True for its name.</summary>
    public static bool Is(string name) => name == Name;
}
