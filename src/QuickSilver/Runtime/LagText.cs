using System.Globalization;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Runtime;

/// <summary>Members that are behind, as people and programs are told of them. Stateless; what reads the directory is for the core thread.</summary>
internal static class LagText
{
    private const int MostGroups = 3;

    /// <summary>The public form.</summary>
    /// <param name="lag">The member.</param>
    /// <param name="groups">The node's groups.</param>
    /// <param name="now">The present instant.</param>
    public static MemberLag ToPublic(LaggingMember lag, IEnumerable<GroupCore> groups, Instant now)
    {
        var names = new List<string>();
        foreach (GroupCore group in groups)
        {
            if (group.Local is { } local && lag.Views.Any(view => view.Region.Contains(local.Info.Id))) names.Add(group.Name);
        }
        names.Sort(StringComparer.Ordinal);
        ulong[] regions = [.. lag.Views.Select(static view => view.Region.Id.Counter).Distinct().Order()];
        TimeSpan duration = now - lag.Since;
        return new MemberLag(
            new Member(new MemberId(lag.Member), lag.Member.Name), ToPublic(lag.Cause), (long)Math.Min(lag.Packets, long.MaxValue),
            TimeProvider.System.GetUtcNow() - duration, duration, lag.HoldsUp, names.AsReadOnly(), Array.AsReadOnly(regions));
    }

    /// <summary>A member with why and how far it is behind, for the list of an exception.</summary>
    public static string Of(LaggingMember lag, Instant now) =>
        $"{QuotedName.Of(lag.Member.Name)} ({new MemberId(lag.Member)}), {Describe(ToPublic(lag.Cause), lag.Packets, now - lag.Since)}";

    /// <summary>As the other one.</summary>
    public static string Of(MemberLag lag) =>
        $"{QuotedName.Of(lag.Member.Name)} ({lag.Member.Id}), {Describe(lag.Reason, (ulong)lag.Packets, lag.Duration)}";

    /// <summary>A member with all that is known, for a record of the log.</summary>
    /// <param name="lag">The member.</param>
    /// <param name="self">The node that logs.</param>
    public static string Record(MemberLag lag, MemberId self)
    {
        string who = lag.Member.Id == self ? $"this node itself ({lag.Member.Id})" : $"{QuotedName.Of(lag.Member.Name)} ({lag.Member.Id})";
        IEnumerable<string> groups = lag.Groups.Take(MostGroups).Select(QuotedName.Of);
        string more = lag.Groups.Count > MostGroups ? $" and {lag.Groups.Count - MostGroups} more" : "";
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
            _ => "which loses packets",
        };
        string behind = packets > 0 ? string.Create(CultureInfo.InvariantCulture, $"{packets:N0} packets behind ") : "";
        return string.Create(CultureInfo.InvariantCulture, $"{why} ({behind}for {duration.TotalSeconds:0.0} s)");
    }

    private static LagReason ToPublic(LagCause cause) => cause switch
    {
        LagCause.Silent => LagReason.Silent,
        LagCause.ReadingSlowly => LagReason.ReadingSlowly,
        _ => LagReason.Losing,
    };
}
