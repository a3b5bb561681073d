using QuickSilver.Protocol.Sites.Ordering;

namespace QuickSilver.Protocol.Tests.Sites;

/// <summary>What holds of the order.</summary>
internal sealed partial class OrderWorld
{
    /// <summary>Without cuts: all members have delivered in one order; those that live have all; nothing is lost or
    /// comes twice.</summary>
    public void Check()
    {
        var places = new SortedDictionary<ulong, string>();
        foreach (Member member in Members.Where(static one => !one.IsDead))
        {
            foreach ((OrderPlace place, string text) in member.Delivered)
            {
                if (!places.TryAdd(place.ToNumber(), text)) Assert.Equal(places[place.ToNumber()], text);
            }
        }
        string[] all = [.. places.Values];
        Assert.Distinct(all);
        foreach (Member member in Members)
        {
            string[] got = TextsOf(member);
            bool isRest = member.IsDead || all[^Math.Min(got.Length, all.Length)..].SequenceEqual(got);
            Assert.True(isRest, isRest ? "" : $"a member misses {string.Join(", ", all.Except(got))}; {Describe()}");
        }
        foreach ((string text, ulong after) in Sites.SelectMany(static site => site.Sent))
        {
            ulong place = places.FirstOrDefault(one => one.Value == text).Key;
            if (place == 0) Assert.Contains(LifeOf(text), _lostLives);
            else Assert.True(place > after, $"{text} was sent after {after} and is at {place}");
        }
        CheckMembers();
        CheckMerged();
    }

    /// <summary>What holds of each member, and of any two, whatever was cut.</summary>
    public void CheckMembers()
    {
        foreach (Member member in Members)
        {
            Assert.Distinct(TextsOf(member));
            OrderPlace[] at = [.. member.Delivered.Select(static one => one.Place)];
            Assert.Equal(at.Order(), at);
            Assert.Equal(0UL, member.Rejected);
            foreach (IGrouping<string, string> sender in TextsOf(member).GroupBy(LifeAndSender))
            {
                int[] numbers = [.. sender.Select(static text => int.Parse(text[(text.IndexOf('#') + 1)..]))];
                Assert.Equal(numbers.Order(), numbers);
            }
        }
        Member[] living = [.. Members.Where(static one => !one.IsDead)];
        foreach (Member one in living)
        {
            foreach (Member other in living)
            {
                // What both have delivered came in one order.
                string[] left = [.. TextsOf(one).Intersect(TextsOf(other))];
                string[] right = [.. TextsOf(other).Intersect(TextsOf(one))];
                if (!left.SequenceEqual(right)) Assert.Fail($"{Name(one)} and {Name(other)} differ; {Describe()}");
            }
        }
        CheckViews(living);
        if (Policy == CutPolicy.Majority) Assert.All(
            living.SelectMany(static one => one.Views), view => Assert.True(
                2 * view.Entry.Change!.Sites.Count > Sites.Length, "a view of less than half"));
    }

    /// <summary>All sites are in one view, and take part.</summary>
    public void CheckMerged()
    {
        Member[] now = [.. Sites.SelectMany(static site => site.Members)];
        bool isOne = now.All(one => one.Merge.Agreement.View?.Id == now[0].Merge.Agreement.View?.Id
            && one.Merge.Agreement.View?.Sites.Count == Sites.Length && one.Merge.Own.HasBegun);
        Assert.True(isOne, isOne ? "" : $"not one view: {Describe()}");
    }

    /// <summary>What was sent since a message is delivered at all, in one order.</summary>
    public void CheckSince(int sent)
    {
        string[] texts = [.. Sites.SelectMany(static site => site.Sent).Select(static one => one.Text)
            .Where(text => NumberOf(text) > sent)];
        string[]? first = null;
        foreach (Member member in Sites.SelectMany(static site => site.Members))
        {
            string[] got = [.. TextsOf(member).Where(text => NumberOf(text) > sent)];
            Assert.Equal(texts.Order(), got.Order());
            first ??= got;
            Assert.Equal(first, got);
        }
    }

    /// <summary>With a majority: one order of all that was delivered, nothing is lost, and who is not
    /// told to be behind has all.</summary>
    public void CheckMajority()
    {
        var places = new SortedDictionary<ulong, string>();
        Member[] living = [.. Members.Where(static one => !one.IsDead)];
        foreach ((OrderPlace place, string text) in living.SelectMany(static one => one.Delivered))
        {
            if (!places.TryAdd(place.ToNumber(), text)) Assert.Equal(places[place.ToNumber()], text);
        }
        Assert.Distinct(places.Values);
        // A site that was behind lacks what sites delivered that have lost all their members since.
        HashSet<string> delivered = [.. Members.SelectMany(TextsOf)];
        foreach ((string text, _) in Sites.SelectMany(static site => site.Sent))
        {
            if (!delivered.Contains(text) && !_lostLives.Contains(LifeOf(text)))
                Assert.Fail($"{text} is lost; {Describe()}");
        }
        var all = new HashSet<(OrderViewId View, OrderPlace Place)>(living.SelectMany(static one => one.Stamped));
        foreach (Member member in living)
        {
            var got = new HashSet<(OrderViewId View, OrderPlace Place)>(member.Stamped);
            OrderedEntry[] views = [.. ViewsOf(member).Select(static one => one.Entry)];
            if (views.Length == 0) continue;
            // Since the last view that said that others had more.
            OrderViewId since = views[0].View;
            foreach (OrderedEntry? view in views.Skip(1).Append(null))
            {
                int missing = view is { Change.IsBehind: true } ? 0 : all.Count(
                    one => one.View >= since && (view is null || one.View < view.View) && !got.Contains(one));
                if (missing > 0) Assert.Fail($"{Name(member)} lacks {missing} and is not told; {Describe()}");
                if (view is { Change.IsBehind: true }) since = view.View;
            }
        }
    }

    private static string[] TextsOf(Member member) =>
        [.. member.Delivered.Where(one => one.Place > member.Merge.Waiting.Floor).Select(static one => one.Text)];

    private static (int At, OrderedEntry Entry)[] ViewsOf(Member member) =>
        [.. member.Views.Where(one => one.Entry.Place > member.Merge.Waiting.Floor)];

    private static string Name(Member member) => $"{member.Site}.{member.Number}";

    private static int NumberOf(string text) => int.Parse(text[(text.IndexOf('#') + 1)..]);

    // Members that go from one view to the next together deliver the same between them.
    private static void CheckViews(Member[] living)
    {
        var between =
            new Dictionary<(OrderViewId, OrderViewId), List<(Member Member, OrderedEntry To, string[] Texts)>>();
        foreach (Member member in living)
        {
            (int At, OrderedEntry Entry)[] views = ViewsOf(member);
            for (int index = 1; index < views.Length; index++)
            {
                (int after, OrderedEntry from) = views[index - 1];
                (int until, OrderedEntry to) = views[index];
                if (!between.TryGetValue((from.View, to.View), out var all)) between[(from.View, to.View)] = all = [];
                all.Add((member, to, [.. member.Delivered.Select(static one => one.Text).Take(after..until)]));
            }
        }
        foreach (var all in between.Values)
        {
            foreach ((Member member, OrderedEntry to, string[] texts) in all)
            {
                if (!to.Change!.Together.Contains(all[0].Member.Site)) continue;
                if (all[0].Texts.SequenceEqual(texts)) continue;
                Assert.Fail($"{Name(member)} and {Name(all[0].Member)} went together and differ: "
                    + $"{string.Join(' ', texts)} | {string.Join(' ', all[0].Texts)}");
            }
        }
    }

    private string Describe() => string.Join(
        Environment.NewLine,
        Sites.SelectMany(static site => site.Members.Select(member =>
            $"{Name(member)}: {member.Delivered.Count} delivered, at {member.Next} of {site.Ring.Count}, "
            + $"{member.Merge.Waiting.Count} wait for {member.Merge.WaitsFor()}, begun {member.Merge.Own.HasBegun}, "
            + $"{member.Merge.TellState().State}")));

    private static string LifeOf(string text) => text[..text.IndexOf('/')];

    private static string LifeAndSender(string text) => text[..text.IndexOf('#')];
}
