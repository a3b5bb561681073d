using System.Text;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// All groups by name. A group gets its id when its name is first used and keeps it for good, members or none: message numbers within it go on
/// through leaves and joins. Core thread only.
/// </summary>
internal sealed class GroupTable
{
    /// <summary>Most groups. No region can have more, so a list of all of them can be read: see <see cref="CounterRuns.MaxCounters"/>.</summary>
    public const int MaxGroups = CounterRuns.MaxCounters;

    private readonly Dictionary<string, ServerGroup> _byName = new(StringComparer.Ordinal);
    private readonly List<ServerGroup> _groups = [];

    /// <summary>The groups; the one with counter n at index n - 1.</summary>
    public IReadOnlyList<ServerGroup> All => _groups;

    /// <summary>The group of a name, made if need be.</summary>
    /// <returns>Why there is none; <see cref="MembershipRefusal.None"/> when there is.</returns>
    public MembershipRefusal TryGet(string name, byte mode, out ServerGroup? group)
    {
        if (!_byName.TryGetValue(name, out group))
        {
            if (!IsGoodName(name)) return MembershipRefusal.BadGroupName;
            if (_groups.Count == MaxGroups) return MembershipRefusal.Full;
            group = new ServerGroup((uint)_groups.Count + 1, name, mode);
            _groups.Add(group);
            _byName.Add(name, group);
        }
        return group.Mode == mode ? MembershipRefusal.None : MembershipRefusal.ModeMismatch;
    }

    private static bool IsGoodName(string name) =>
        name.Length > 0 && name[0] != '$' && Encoding.UTF8.GetByteCount(name) <= FrameFields.MaxNameBytes;
}
