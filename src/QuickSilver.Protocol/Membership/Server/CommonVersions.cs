using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>
/// The versions of the protocol that a server and all its nodes speak. Core thread only. Cost: O(1) a node, but for a
/// scan of all versions when the first node of a version comes or its last one goes.
/// </summary>
internal sealed class CommonVersions
{
    private readonly int[] _oldest = new int[ProtocolVersions.Most + 1];
    private readonly int[] _newest = new int[ProtocolVersions.Most + 1];

    /// <summary>Begins without nodes.</summary>
    /// <param name="spoken">The versions of the server.</param>
    public CommonVersions(ProtocolVersions spoken)
    {
        Spoken = spoken;
        Common = spoken;
        Newest = spoken.Newest;
    }

    /// <summary>The versions of the server.</summary>
    public ProtocolVersions Spoken { get; }

    /// <summary>The newest version of any node; the server's while there is none.</summary>
    public byte Newest { get; private set; }

    /// <summary>The versions that all speak.</summary>
    public ProtocolVersions Common { get; private set; }

    /// <summary>A node is registered that speaks some of the common versions.</summary>
    public void Add(ProtocolVersions versions)
    {
        Debug.Assert(versions.Meets(Common), "a node without a common version is refused");
        if (_oldest[versions.Oldest]++ == 0 | _newest[versions.Newest]++ == 0) Find();
    }

    /// <summary>A node is removed.</summary>
    public void Remove(ProtocolVersions versions)
    {
        if (--_oldest[versions.Oldest] == 0 | --_newest[versions.Newest] == 0) Find();
    }

    private void Find()
    {
        byte oldest = Spoken.Oldest;
        byte newest = Spoken.Newest;
        byte highest = 0;
        for (byte version = 1; version <= ProtocolVersions.Most; version++)
        {
            if (_oldest[version] > 0 && version > oldest) oldest = version;
            if (_newest[version] == 0) continue;
            highest = version;
            if (version < newest) newest = version;
        }
        Newest = highest > 0 ? highest : Spoken.Newest;
        Common = new ProtocolVersions(oldest, newest);
    }
}
