using System.Text;
using QuickSilver.Protocol.Core;

namespace QuickSilver.WideArea.Records;

/// <summary>What the links know a group by: a number, and a check of the name that has it. Equal at all sites.
/// </summary>
/// <param name="Number">Never 0.</param>
/// <param name="Check">64 more bits of the name.</param>
internal readonly record struct GroupNumber(uint Number, ulong Check)
{
    /// <summary>That of a name.</summary>
    public static GroupNumber Of(string name)
    {
        ulong hash = 0x51_53_47_72_6F_75_70_01;
        foreach (byte value in Encoding.UTF8.GetBytes(name)) hash = SeededRandom.Mix(hash + value + 1);
        var number = (uint)hash;
        return new GroupNumber(number == 0 ? 1 : number, SeededRandom.Mix(hash + 1));
    }
}
