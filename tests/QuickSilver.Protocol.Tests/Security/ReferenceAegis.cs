using System.Buffers.Binary;

namespace QuickSilver.Protocol.Tests.Security;

/// <summary>
/// AEGIS-128L with tags of 32 bytes as its specification writes it down, in plain arithmetic: slow, and of no library.
/// </summary>
internal sealed class ReferenceAegis
{
    private const int Block = 16;

    private static readonly byte[] Boxes = MakeBoxes();
    private static readonly UInt128 First = Of("000101020305080d1522375990e97962");
    private static readonly UInt128 Second = Of("db3d18556dc22ff12011314273b528dd");

    private readonly UInt128[] _state = new UInt128[8];

    private ReferenceAegis(ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated)
    {
        UInt128 k = BinaryPrimitives.ReadUInt128LittleEndian(key);
        UInt128 n = BinaryPrimitives.ReadUInt128LittleEndian(nonce);
        UInt128[] begin = [k ^ n, Second, First, Second, k ^ n, k ^ First, k ^ Second, k ^ First];
        begin.CopyTo(_state, 0);
        for (int round = 0; round < 10; round++) Update(n, k);
        byte[] block = new byte[2 * Block];
        for (; associated.Length > 0; associated = associated[Math.Min(block.Length, associated.Length)..])
        {
            Array.Clear(block);
            associated[..Math.Min(block.Length, associated.Length)].CopyTo(block);
            Update(Read(block, 0), Read(block, Block));
        }
    }

    /// <summary>Encrypts; the result is ciphertext and tag.</summary>
    public static (byte[] Ciphertext, byte[] Tag) Seal(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> text) =>
        new ReferenceAegis(key, nonce, associated).Run(text, associated.Length, isOpening: false);

    /// <summary>Decrypts; the result is the text and the tag that it should have.</summary>
    public static (byte[] Text, byte[] Tag) Open(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> associated, ReadOnlySpan<byte> sealing) =>
        new ReferenceAegis(key, nonce, associated).Run(sealing, associated.Length, isOpening: true);

    private (byte[] Text, byte[] Tag) Run(ReadOnlySpan<byte> text, int associatedBytes, bool isOpening)
    {
        byte[] result = new byte[text.Length];
        for (int at = 0; at < text.Length; at += 2 * Block)
        {
            int count = Math.Min(2 * Block, text.Length - at);
            byte[] from = new byte[2 * Block];
            text.Slice(at, count).CopyTo(from);
            byte[] to = new byte[2 * Block];
            UInt128[] s = _state;
            BinaryPrimitives.WriteUInt128LittleEndian(to, Read(from, 0) ^ s[6] ^ s[1] ^ (s[2] & s[3]));
            BinaryPrimitives.WriteUInt128LittleEndian(
                to.AsSpan(Block), Read(from, Block) ^ s[2] ^ s[5] ^ (s[6] & s[7]));
            to.AsSpan(0, count).CopyTo(result.AsSpan(at));
            byte[] plain = isOpening ? to : from;
            plain.AsSpan(count).Clear();
            Update(Read(plain, 0), Read(plain, Block));
        }
        UInt128 lengths = ((UInt128)((ulong)text.Length * 8) << 64) | ((ulong)associatedBytes * 8);
        UInt128 last = _state[2] ^ lengths;
        for (int round = 0; round < 7; round++) Update(last, last);
        byte[] tag = new byte[2 * Block];
        BinaryPrimitives.WriteUInt128LittleEndian(tag, _state[0] ^ _state[1] ^ _state[2] ^ _state[3]);
        BinaryPrimitives.WriteUInt128LittleEndian(tag.AsSpan(Block), _state[4] ^ _state[5] ^ _state[6] ^ _state[7]);
        return (result, tag);
    }

    private void Update(UInt128 even, UInt128 odd)
    {
        UInt128[] before = [.. _state];
        for (int index = 0; index < 8; index++)
        {
            UInt128 added = index == 0 ? even : index == 4 ? odd : 0;
            _state[index] = Round(before[(index + 7) % 8]) ^ before[index] ^ added;
        }
    }

    // One round of AES without its key.
    private static UInt128 Round(UInt128 block)
    {
        byte[] bytes = new byte[Block];
        byte[] mixed = new byte[Block];
        BinaryPrimitives.WriteUInt128LittleEndian(bytes, block);
        for (int column = 0; column < 4; column++)
        {
            byte[] c = new byte[4];
            for (int row = 0; row < 4; row++) c[row] = Boxes[bytes[(4 * ((column + row) % 4)) + row]];
            for (int row = 0; row < 4; row++)
            {
                mixed[(4 * column) + row] = (byte)(Double(c[row]) ^ Double(c[(row + 1) % 4]) ^ c[(row + 1) % 4]
                    ^ c[(row + 2) % 4] ^ c[(row + 3) % 4]);
            }
        }
        return BinaryPrimitives.ReadUInt128LittleEndian(mixed);
    }

    private static byte[] MakeBoxes()
    {
        byte[] boxes = new byte[256];
        byte p = 1, q = 1;
        do
        {
            // p runs through all that are not 0 by multiplications by 3, and q by divisions by 3.
            p ^= Double(p);
            q ^= (byte)(q << 1);
            q ^= (byte)(q << 2);
            q ^= (byte)(q << 4);
            if ((q & 0x80) != 0) q ^= 0x09;
            boxes[p] = (byte)(q ^ Rotated(q, 1) ^ Rotated(q, 2) ^ Rotated(q, 3) ^ Rotated(q, 4) ^ 0x63);
        }
        while (p != 1);
        boxes[0] = 0x63;
        return boxes;
    }

    private static byte Rotated(byte value, int by) => (byte)((value << by) | (value >> (8 - by)));

    private static byte Double(byte value) => (byte)((value << 1) ^ ((value & 0x80) != 0 ? 0x1B : 0));

    private static UInt128 Of(string hex) =>
        BinaryPrimitives.ReadUInt128LittleEndian(Convert.FromHexString(hex));

    private static UInt128 Read(byte[] bytes, int at) =>
        BinaryPrimitives.ReadUInt128LittleEndian(bytes.AsSpan(at, Block));
}
