using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The fields at the end of a registration that later builds have added to it. Fields that are not known here are
/// skipped. Immutable.
/// <code>
/// length    varint   bytes that follow
/// each:
///   field   varint   HelloField, rising
///   length  varint
///   value   bytes
/// </code>
/// </summary>
internal sealed class HelloExtensions : IEquatable<HelloExtensions>
{
    /// <summary>The most bytes of all fields together that are written.</summary>
    public const int MaxBytes = 256;

    private const int ShortestField = 2;

    private readonly (uint Field, byte[] Value)[] _fields;

    private HelloExtensions((uint Field, byte[] Value)[] fields) => _fields = fields;

    /// <summary>No fields.</summary>
    public static HelloExtensions None { get; } = new([]);

    /// <summary>The value of a field; null when it is absent. O(fields).</summary>
    public byte[]? Find(HelloField field)
    {
        foreach ((uint known, byte[] value) in _fields)
        {
            if (known == (uint)field) return value;
        }
        return null;
    }

    /// <summary>The same fields with the value of one. Allocates.</summary>
    public HelloExtensions With(HelloField field, byte[] value)
    {
        var fields = new List<(uint Field, byte[] Value)>(_fields);
        fields.RemoveAll(known => known.Field == (uint)field);
        fields.Add(((uint)field, value));
        fields.Sort(static (a, b) => a.Field.CompareTo(b.Field));
        return new HelloExtensions([.. fields]);
    }

    /// <summary>Writes the block.</summary>
    public void WriteTo(FrameBuilder frame)
    {
        int length = 0;
        foreach ((uint field, byte[] value) in _fields)
        {
            length += WireWriter.VarintLength(field) + WireWriter.VarintLength((ulong)value.Length) + value.Length;
        }
        System.Diagnostics.Debug.Assert(length <= MaxBytes, "a registration has room for its fields");
        frame.WriteVarint((ulong)length);
        foreach ((uint field, byte[] value) in _fields)
            frame.WriteVarint(field).WriteVarint((ulong)value.Length).WriteBytes(value);
    }

    /// <summary>Reads a block; fails when it is malformed. Total.</summary>
    public static HelloExtensions Read(ref WireReader reader)
    {
        var block = new WireReader(reader.ReadBytes(FrameFields.ReadCount(ref reader, 1)));
        if (reader.Failed || block.IsAtEnd) return None;
        var fields = new List<(uint Field, byte[] Value)>(Math.Min(block.Remaining / ShortestField, 8));
        uint last = 0;
        while (!block.IsAtEnd && !block.Failed)
        {
            uint field = FrameFields.ReadCounter(ref block);
            if (field <= last) block.Fail();
            last = field;
            fields.Add((field, block.ReadBytes(FrameFields.ReadCount(ref block, 1)).ToArray()));
        }
        if (block.Failed) reader.Fail();
        return new HelloExtensions([.. fields]);
    }

    /// <inheritdoc/>
    public bool Equals(HelloExtensions? other)
    {
        if (other is null || other._fields.Length != _fields.Length) return false;
        for (int index = 0; index < _fields.Length; index++)
        {
            bool isSame = _fields[index].Field == other._fields[index].Field
                && _fields[index].Value.AsSpan().SequenceEqual(other._fields[index].Value);
            if (!isSame) return false;
        }
        return true;
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as HelloExtensions);

    /// <inheritdoc/>
    public override int GetHashCode() => _fields.Length;
}
