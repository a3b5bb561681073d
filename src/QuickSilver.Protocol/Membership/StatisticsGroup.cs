namespace QuickSilver.Protocol.Membership;

/// <summary>
/// The group in which nodes publish their statistics while it has a member. Its members are monitors. Its name begins
/// with the reserved '$', so no application can use it.
/// </summary>
internal static class StatisticsGroup
{
    /// <summary>Its name.</summary>
    public const string Name = "$statistics";

    /// <summary>True for its name.</summary>
    public static bool Is(string name) => name == Name;
}
