using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Server;

/// <summary>Counts the registered nodes that have each cipher. Core thread only; O(ciphers) a call.</summary>
internal sealed class CommonCiphers
{
    private const int Bits = 8;

    private readonly int[] _having = new int[Bits];
    private int _nodes;

    /// <summary>True when a cipher is one that some nodes have and others do not.</summary>
    public bool AreMixed => Array.Exists(_having, having => having != 0 && having != _nodes);

    /// <summary>The preferred cipher of those that any node has; none without nodes.</summary>
    public SealCipher Best
    {
        get
        {
            int any = 0;
            for (int bit = 0; bit < Bits; bit++) any |= _having[bit] > 0 ? 1 << bit : 0;
            return new SealCiphers((byte)any).Preferred;
        }
    }

    /// <summary>A node registers.</summary>
    public void Add(SealCiphers ciphers) => Count(ciphers, 1);

    /// <summary>A node is removed.</summary>
    public void Remove(SealCiphers ciphers) => Count(ciphers, -1);

    /// <summary>True when all nodes and one more have some cipher in common.</summary>
    /// <param name="ciphers">Those of the one more.</param>
    /// <param name="former">Those of a registered node whose place it takes; null: it takes none.</param>
    public bool HaveOneWith(SealCiphers ciphers, SealCiphers? former)
    {
        int others = former is null ? _nodes : _nodes - 1;
        int common = 0;
        for (int bit = 0; bit < Bits; bit++)
        {
            int having = _having[bit] - (former is { } gone ? (gone.Bits >> bit) & 1 : 0);
            if (having == others) common |= 1 << bit;
        }
        return (ciphers & new SealCiphers((byte)common)).Preferred != SealCipher.None;
    }

    private void Count(SealCiphers ciphers, int change)
    {
        _nodes += change;
        for (int bit = 0; bit < Bits; bit++) _having[bit] += ((ciphers.Bits >> bit) & 1) * change;
    }
}
