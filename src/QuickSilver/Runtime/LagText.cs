using System.Globalization;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Recovery;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>Converts members that are behind to the public type and to text. Stateless. Members that take groups are
/// for the core thread.</summary>
internal static class LagText
{
    private const int MaxGroups = 3;

    /// <summary>Converts a member to its public form.</summary>
    /// <param name="lag">The member that is behind.</param>
    /// <param name="groups">The node's groups; those that the member holds up are named.</param>
    /// <param name="now">The instant against which the lag is measured.</param>
    public static MemberLag ToPublic(LaggingMember lag, IEnumerable<GroupCore> groups, Instant now)
    {
        var names = new List<string>();
        foreach (GroupCore group in groups)
        {
            if (group.Local is { } local && lag.Views.Any(view => view.Region.Contains(local.Info.Id)))
                names.Add(group.Name);
        }
        // A group that the node is in and publishes to is named once.
        names = [.. names.Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal)];
        ulong[] regions = [.. lag.Views.Select(static view => view.Region.Id.Counter).Distinct().Order()];
        TimeSpan duration = now - lag.Since;
        return new MemberLag(
            Member.Of(lag.Member),
            ToPublic(lag.Cause),
            (long)Math.Min(lag.Packets, long.MaxValue),
            TimeProvider.System.GetUtcNow() - duration,
            duration,
            lag.HoldsUp,
            names.AsReadOnly(),
            Array.AsReadOnly(regions));
    }

    /// <summary>Describes a member, its lag and the cause, for the text of an exception.</summary>
    public static string Of(LaggingMember lag, Instant now) =>
        $"{QuotedName.Of(lag.Member.Name)} ({new MemberId(lag.Member)}), "
        + Describe(ToPublic(lag.Cause), lag.Packets, now - lag.Since);

    /// <summary>Describes a member, its lag and the cause, for the text of an exception.</summary>
    public static string Of(MemberLag lag) =>
        $"{QuotedName.Of(lag.Member.Name)} ({lag.Member.Id}), {Describe(lag.Reason, (ulong)lag.Packets, lag.Duration)}";

    /// <summary>Describes a member with all details, for a log record.</summary>
    /// <param name="lag">The member that is behind.</param>
    /// <param name="self">The node that logs.</param>
    public static string Record(MemberLag lag, MemberId self)
    {
        string who = lag.Member.Id == self
            ? $"this node itself ({lag.Member.Id})"
            : $"{QuotedName.Of(lag.Member.Name)} ({lag.Member.Id})";
        IEnumerable<string> groups = lag.Groups.Take(MaxGroups).Select(QuotedName.Of);
        string more = lag.Groups.Count > MaxGroups ? $" and {lag.Groups.Count - MaxGroups} more" : "";
        string where = lag.Groups.Count > 0 ? $" in {string.Join(", ", groups)}{more}" : "";
        string since = lag.Since.ToString("HH:mm:ss.f'Z'", CultureInfo.InvariantCulture);
        return $"{who}{where}, {Describe(lag.Reason, (ulong)lag.Packets, lag.Duration)}, since {since}";
    }

    private static string Describe(LagReason reason, ulong packets, TimeSpan duration)
    {
        string why = reason switch
        {
            LagReason.Silent => "which does not answer",
            LagReason.ReadingSlowly => "which reads slowly",
            LagReason.AnswersLate => "which answers late",
            LagReason.SlowHandlers => "whose handlers take most of its time",
            _ => "which loses packets",
        };
        string behind = packets > 0 ? string.Create(CultureInfo.InvariantCulture, $"{packets:N0} packets behind ") : "";
        return string.Create(CultureInfo.InvariantCulture, $"{why} ({behind}for {duration.TotalSeconds:0.0} s)");
    }

    private static LagReason ToPublic(LagCause cause) => cause switch
    {
        LagCause.Silent => LagReason.Silent,
        LagCause.ReadingSlowly => LagReason.ReadingSlowly,
        LagCause.Late => LagReason.AnswersLate,
        LagCause.Handling => LagReason.SlowHandlers,
        _ => LagReason.Losing,
    };
}
