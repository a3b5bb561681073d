using System.Globalization;
using Google.Protobuf;
using Mvccpb;

namespace QuickSilver.Membership.Etcd;

/// <summary>The value of the key of terms: a decimal number.</summary>
internal static class TermValue
{
    /// <summary>The last term that a lease may have: <see cref="IMembershipLease.Term"/>.</summary>
    public const long Last = 16_777_215;

    /// <summary>The term after the one that is stored.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="stored">What is stored; null if nothing is.</param>
    /// <param name="lowest">The lowest that will do.</param>
    /// <exception cref="InvalidDataException">What is stored is no term, or the last.</exception>
    public static long Next(ByteString key, KeyValue? stored, long lowest)
    {
        long last = 0;
        if (stored is not null
            && !(long.TryParse(stored.Value.Span, NumberStyles.None, CultureInfo.InvariantCulture, out last)
                && last <= Last))
            throw new InvalidDataException($"the key '{key.ToStringUtf8()}' holds no term: delete it");
        long next = Math.Max(last + 1, lowest);
        return next <= Last
            ? next
            : throw new InvalidDataException(
                $"the key '{key.ToStringUtf8()}' holds {last}, the lowest term allowed is {lowest}, "
                + $"and {Last} is the last there is");
    }

    /// <summary>A term as a value.</summary>
    public static ByteString Write(long term) =>
        ByteString.CopyFromUtf8(term.ToString(CultureInfo.InvariantCulture));
}
