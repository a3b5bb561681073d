using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace QuickSilver.Typed;

/// <summary>
/// Named texts that travel beside the value of a typed message. Immutable. Names are compared ordinally; few and short
/// ones are meant: at most 32 headers, names of 1 to 64 bytes, values of up to 4,096 bytes of UTF-8.
/// </summary>
public sealed class MessageHeaders : IReadOnlyCollection<KeyValuePair<string, string>>
{
    /// <summary>Limit on the number of headers that an application gives.</summary>
    internal const int MostHeaders = 32;

    /// <summary>Limit on the number of headers of a message: those of the application, and those that the sending
    /// group adds (trace context of two headers, time of the send).</summary>
    internal const int MostOnTheWire = MostHeaders + 3;

    /// <summary>Limit on a name, in bytes of UTF-8.</summary>
    internal const int LongestName = 64;

    /// <summary>Limit on a value, in bytes of UTF-8.</summary>
    internal const int LongestValue = 4096;

    private readonly KeyValuePair<string, string>[] _entries;

    /// <summary>Creates headers.</summary>
    /// <param name="entries">Names and values; names differ.</param>
    /// <exception cref="ArgumentException">There are too many, a name or value is too long or no text, or a name is
    /// given twice.</exception>
    public MessageHeaders(params IEnumerable<KeyValuePair<string, string>> entries)
    {
        ArgumentNullException.ThrowIfNull(entries);
        _entries = [.. entries];
        if (_entries.Length > MostHeaders)
            throw new ArgumentException($"There are more than {MostHeaders} headers.", nameof(entries));
        var names = new HashSet<string>(StringComparer.Ordinal);
        foreach ((string name, string value) in _entries)
        {
            if (!Fits(name, 1, LongestName))
                throw new ArgumentException($"A header's name is 1-{LongestName} bytes of UTF-8.", nameof(entries));
            if (!Fits(value, 0, LongestValue))
                throw new ArgumentException(
                    $"The value of header '{name}' is no UTF-8 of up to {LongestValue} bytes.", nameof(entries));
            if (!names.Add(name)) throw new ArgumentException($"Header '{name}' is given twice.", nameof(entries));
        }
    }

    private MessageHeaders(KeyValuePair<string, string>[] entries) => _entries = entries;

    /// <summary>No headers.</summary>
    public static MessageHeaders None { get; } = new(Array.Empty<KeyValuePair<string, string>>());

    /// <inheritdoc/>
    public int Count => _entries.Length;

    /// <summary>Returns the value of a header.</summary>
    /// <param name="name">Name of the header.</param>
    /// <param name="value">Its value.</param>
    /// <returns>False if there is no such header.</returns>
    public bool TryGetValue(string name, [NotNullWhen(true)] out string? value)
    {
        foreach (KeyValuePair<string, string> entry in _entries)
        {
            if (entry.Key != name) continue;
            value = entry.Value;
            return true;
        }
        value = null;
        return false;
    }

    /// <inheritdoc/>
    public IEnumerator<KeyValuePair<string, string>> GetEnumerator() =>
        ((IEnumerable<KeyValuePair<string, string>>)_entries).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Wraps entries that are known to obey the rules.</summary>
    internal static MessageHeaders Trusted(KeyValuePair<string, string>[] entries) => new(entries);

    /// <summary>Returns these headers with a trace context in place of the one they may have.</summary>
    internal MessageHeaders WithTrace(string parent, string? state)
    {
        var entries = new List<KeyValuePair<string, string>>(Count + 2);
        foreach (KeyValuePair<string, string> entry in _entries)
        {
            if (entry.Key is not (QuickSilverTelemetry.TraceParentHeader or QuickSilverTelemetry.TraceStateHeader))
                entries.Add(entry);
        }
        entries.Add(new(QuickSilverTelemetry.TraceParentHeader, parent));
        if (state is { Length: > 0 and <= 512 }) entries.Add(new(QuickSilverTelemetry.TraceStateHeader, state));
        return new MessageHeaders([.. entries]);
    }

    /// <summary>Returns these headers with another one, in place of one of its name.</summary>
    internal MessageHeaders With(KeyValuePair<string, string> header) =>
        new([.. _entries.Where(entry => entry.Key != header.Key), header]);

    private static bool Fits(string? text, int least, int most)
    {
        if (text is null || text.Length < least || text.Length > most) return false;
        try
        {
            return Envelope.Utf8.GetByteCount(text) <= most;
        }
        catch (EncoderFallbackException)
        {
            return false;
        }
    }
}
