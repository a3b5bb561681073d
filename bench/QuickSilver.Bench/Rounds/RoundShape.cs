using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Rounds;

/// <summary>
/// Which messages a round has, as all its processes know it without asking: each sender goes round the groups from the
/// first one on, and begins there again in the next round.
/// </summary>
/// <param name="order">Of any process of the run.</param>
internal sealed class RoundShape(RoleOrder order)
{
    private readonly int _own = Math.Max(1, (int)Math.Round(order.Overlap * order.Groups));

    /// <summary>Messages of each sender.</summary>
    public int Messages { get; } = order.RoundMessages / order.Senders;

    /// <summary>The groups that a receiver joins.</summary>
    public IReadOnlyList<int> GroupsOf(int receiver) =>
        HerdRole.GroupsOf(receiver, order.Receivers, _own, order.Groups);

    /// <summary>Receivers of each group.</summary>
    public int[] ReceiversByGroup()
    {
        int[] receivers = new int[order.Groups];
        for (int receiver = 0; receiver < order.Receivers; receiver++)
            foreach (int group in GroupsOf(receiver)) receivers[group]++;
        return receivers;
    }

    /// <summary>Messages that a receiver gets in a round.</summary>
    public int ExpectedBy(int receiver) => order.Senders * GroupsOf(receiver).Sum(CountOf);

    /// <summary>Which message of its sender's round it is, from 0.</summary>
    /// <param name="group">Its group.</param>
    /// <param name="index">Its number in the group, from 1 on through all rounds.</param>
    public int NumberOf(int group, long index) => ((int)((index - 1) % CountOf(group)) * order.Groups) + group;

    /// <summary>Whether receivers send it back.</summary>
    public bool IsEchoed(int number) => order.EchoEvery > 0 && number % order.EchoEvery == 0;

    private int CountOf(int group) => (Messages / order.Groups) + (group < Messages % order.Groups ? 1 : 0);
}
