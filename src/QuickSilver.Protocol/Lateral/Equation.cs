using System.Diagnostics;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Lateral;

/// <summary>
/// A combination of packets of which some are not known here: their ids and coefficients, and the sum of their blocks.
/// Pooled by <see cref="Equations"/>.
/// </summary>
internal sealed class Equation
{
    private LateralId[] _ids = new LateralId[LateralIdList.MaxIds];
    private byte[] _coefficients = new byte[LateralIdList.MaxIds];

    /// <summary>The sum, followed by zeros.</summary>
    public byte[] Sum { get; } = new byte[LateralBlock.MaxLength];

    /// <summary>Bytes of the sum that count.</summary>
    public int Length { get; set; }

    /// <summary>Number of unknown packets.</summary>
    public int Count { get; private set; }

    /// <summary>Among those that are kept: the packet that no other contains.</summary>
    public LateralId Pivot { get; set; }

    /// <summary>The unknown packets.</summary>
    public ReadOnlySpan<LateralId> Ids => _ids.AsSpan(0, Count);

    /// <summary>Begins again without packets.</summary>
    public void Begin(ReadOnlySpan<byte> sum)
    {
        Debug.Assert(sum.Length <= Sum.Length, "a sum is no longer than a block");
        Count = 0;
        Length = sum.Length;
        sum.CopyTo(Sum);
        Sum.AsSpan(sum.Length).Clear();
    }

    /// <summary>The coefficient of a packet; 0 when it is not in the combination.</summary>
    public byte CoefficientOf(in LateralId id)
    {
        int index = Ids.IndexOf(id);
        return index < 0 ? (byte)0 : _coefficients[index];
    }

    /// <summary>Adds to the coefficient of a packet.</summary>
    public void AddTo(in LateralId id, byte coefficient)
    {
        int index = Ids.IndexOf(id);
        if (index < 0)
        {
            Append(id, coefficient);
            return;
        }
        _coefficients[index] ^= coefficient;
        if (_coefficients[index] == 0) RemoveAt(index);
    }

    /// <summary>Replaces a packet by its block, which is known.</summary>
    public void Substitute(in LateralId id, ReadOnlySpan<byte> block)
    {
        int index = Ids.IndexOf(id);
        if (index < 0) return;
        GaloisField.AddProduct(Sum, block, _coefficients[index]);
        RemoveAt(index);
    }

    /// <summary>Adds a multiple of another combination.</summary>
    public void AddProduct(Equation other, byte factor)
    {
        Debug.Assert(factor != 0 && other != this, "something is added");
        for (int index = 0; index < other.Count; index++)
            AddTo(other._ids[index], GaloisField.Multiply(factor, other._coefficients[index]));
        GaloisField.AddProduct(Sum, other.Sum.AsSpan(0, other.Length), factor);
        Length = Math.Max(Length, other.Length);
    }

    private void Append(in LateralId id, byte coefficient)
    {
        if (Count == _ids.Length)
        {
            Array.Resize(ref _ids, 2 * Count);
            Array.Resize(ref _coefficients, 2 * Count);
        }
        _ids[Count] = id;
        _coefficients[Count++] = coefficient;
    }

    private void RemoveAt(int index)
    {
        Count--;
        _ids[index] = _ids[Count];
        _coefficients[index] = _coefficients[Count];
    }
}
