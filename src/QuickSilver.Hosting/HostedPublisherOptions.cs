using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Settings of a publisher of a hosted node.</summary>
public sealed class HostedPublisherOptions
{
    /// <summary>Settings of each handle.</summary>
    public PublisherOptions Publisher { get; } = new();

    /// <summary>Settings of a publisher of values.</summary>
    public TypedGroupOptions Typed { get; } = new();

    /// <summary>Whether the publisher is opened again after the node was evicted and has returned. False: it ends.
    /// Default: true.</summary>
    public bool ReopenAfterEviction { get; set; } = true;

    /// <summary>Pause after a failed attempt to open it again. Default: 1 s.</summary>
    public TimeSpan ReopenPause { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>Names of the options that differ, with both values; empty if none does.</summary>
    internal IReadOnlyList<string> DifferencesTo(HostedPublisherOptions other)
    {
        var found = new List<string>();
        HostedGroupOptions.Compare(found, nameof(ReopenAfterEviction), ReopenAfterEviction, other.ReopenAfterEviction);
        HostedGroupOptions.Compare(found, nameof(ReopenPause), ReopenPause, other.ReopenPause);
        HostedGroupOptions.Compare(found, Typed, other.Typed);
        Compare(found, Publisher, other.Publisher);
        return found;
    }

    /// <summary>Whether handles with these options are alike.</summary>
    internal static bool AreEqual(PublisherOptions one, PublisherOptions two)
    {
        var found = new List<string>();
        Compare(found, one, two);
        return found.Count == 0;
    }

    private static void Compare(List<string> found, PublisherOptions one, PublisherOptions two)
    {
        HostedGroupOptions.Compare(found, nameof(one.Mode), one.Mode, two.Mode);
        HostedGroupOptions.Compare(found, nameof(one.HandlerErrors), one.HandlerErrors, two.HandlerErrors);
    }
}
