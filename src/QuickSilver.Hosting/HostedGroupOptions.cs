using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>Settings of a group of a hosted node.</summary>
public sealed class HostedGroupOptions
{
    /// <summary>Settings of each handle. <see cref="GroupOptions.HandlerErrors"/> also rules the handlers of
    /// <see cref="QuickSilverBuilder.AddHandler"/>. <see cref="GroupOptions.Inbox"/> is refused: such an inbox ends
    /// with an eviction, and a hosted group goes on. <see cref="Inbox"/> names one that goes on, too.</summary>
    public GroupOptions Group { get; } = new();

    /// <summary>Settings of a group of values.</summary>
    public TypedGroupOptions Typed { get; } = new();

    /// <summary>Name of the inbox that the group shares with others (<see cref="QuickSilverBuilder.AddInbox"/>); the
    /// group then has no other reader and no handlers on pool threads. Null (default): it has an inbox of its
    /// own.</summary>
    public string? Inbox { get; set; }

    /// <summary>Whether the group is joined again after the node was evicted and has returned. Messages sent by others
    /// in between are missed. False: the group ends. Default: true.</summary>
    public bool RejoinAfterEviction { get; set; } = true;

    /// <summary>Whether the group is joined again after its reader was too slow
    /// (<see cref="SlowConsumerException"/>). Stored messages are read first; those sent in between are missed. False:
    /// the group ends. Default: true.</summary>
    public bool RejoinAfterSlowReader { get; set; } = true;

    /// <summary>Pause after a failed attempt to join again. Default: 1 s.</summary>
    public TimeSpan RejoinPause { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>The options of each handle: a copy, with the handlers on the core thread.</summary>
    internal GroupOptions HandleOptions(MessageHandler? inline) => new()
    {
        Mode = Group.Mode,
        OnMessage = Group.OnMessage + inline,
        OnBatch = Group.OnBatch,
        BufferBeforeFirstRead = Group.BufferBeforeFirstRead,
        InboxMaxMessages = Group.InboxMaxMessages,
        InboxMaxBytes = Group.InboxMaxBytes,
        Overflow = Group.Overflow,
        Key = Group.Key,
        HandlerErrors = Group.HandlerErrors,
        SelfDelivery = Group.SelfDelivery,
    };

    /// <summary>Names of the options that differ, with both values; empty if none does.</summary>
    internal IReadOnlyList<string> DifferencesTo(HostedGroupOptions other)
    {
        var found = new List<string>();
        Compare(found, nameof(RejoinAfterEviction), RejoinAfterEviction, other.RejoinAfterEviction);
        Compare(found, nameof(RejoinAfterSlowReader), RejoinAfterSlowReader, other.RejoinAfterSlowReader);
        Compare(found, nameof(RejoinPause), RejoinPause, other.RejoinPause);
        Compare(found, nameof(Inbox), Inbox, other.Inbox);
        Compare(found, Typed, other.Typed);
        Compare(found, Group, other.Group);
        return found;
    }

    /// <summary>Whether handles with these options are alike.</summary>
    internal static bool AreEqual(GroupOptions one, GroupOptions two)
    {
        var found = new List<string>();
        Compare(found, one, two);
        return found.Count == 0;
    }

    /// <summary>Adds the settings of values that differ.</summary>
    internal static void Compare(List<string> found, TypedGroupOptions one, TypedGroupOptions two)
    {
        Compare(found, nameof(one.Tracing), one.Tracing, two.Tracing);
        Compare(found, nameof(one.LatencySampleEvery), one.LatencySampleEvery, two.LatencySampleEvery);
    }

    private static void Compare(List<string> found, GroupOptions one, GroupOptions two)
    {
        Compare(found, nameof(one.Mode), one.Mode, two.Mode);
        Compare(found, nameof(one.OnMessage), one.OnMessage, two.OnMessage);
        Compare(found, nameof(one.OnBatch), one.OnBatch, two.OnBatch);
        Compare(found, nameof(one.BufferBeforeFirstRead), one.BufferBeforeFirstRead, two.BufferBeforeFirstRead);
        Compare(found, nameof(one.InboxMaxMessages), one.InboxMaxMessages, two.InboxMaxMessages);
        Compare(found, nameof(one.InboxMaxBytes), one.InboxMaxBytes, two.InboxMaxBytes);
        Compare(found, nameof(one.Overflow), one.Overflow, two.Overflow);
        Compare(found, nameof(one.Key), one.Key, two.Key);
        Compare(found, nameof(one.HandlerErrors), one.HandlerErrors, two.HandlerErrors);
        Compare(found, nameof(one.SelfDelivery), one.SelfDelivery, two.SelfDelivery);
    }

    /// <summary>Adds an option that differs, with both values.</summary>
    internal static void Compare<T>(List<string> found, string option, T one, T two)
    {
        if (EqualityComparer<T>.Default.Equals(one, two)) return;
        found.Add(one is Delegate || two is Delegate ? option : $"{option} ({Text(one)} and {Text(two)})");
    }

    private static string Text<T>(T value) => value?.ToString() ?? "null";
}
