using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using QuickSilver.Protocol.Tests.Repository;

namespace QuickSilver.Tests.Repository;

/// <summary>What is declared works.</summary>
public sealed class ThrowingMembersTests
{
    [Fact]
    public void No_public_member_always_throws() => Assert.Empty(ThrowersOf(typeof(QuickSilverNode), isPublic: true));

    [Fact]
    public void The_analysis_sees_a_member_that_always_throws() =>
        Assert.Contains(
            ThrowersOf(typeof(ThrowingMembersTests), isPublic: false),
            static name => name.EndsWith(".Refuse", StringComparison.Ordinal));

    private static int Refuse() => throw new NotSupportedException("This member is here to be found.");

    private static List<string> ThrowersOf(Type any, bool isPublic)
    {
        var found = new List<string>();
        using var file = new PEReader(File.OpenRead(any.Assembly.Location));
        MetadataReader metadata = file.GetMetadataReader();
        foreach (TypeDefinition type in metadata.TypeDefinitions.Select(metadata.GetTypeDefinition))
        {
            if (isPublic && (type.Attributes & TypeAttributes.VisibilityMask) != TypeAttributes.Public) continue;
            foreach (MethodDefinition method in type.GetMethods().Select(metadata.GetMethodDefinition))
            {
                // An override may have to refuse what its base declares.
                const MethodAttributes Slot = MethodAttributes.Virtual | MethodAttributes.NewSlot;
                if (method.RelativeVirtualAddress == 0 || (method.Attributes & Slot) == MethodAttributes.Virtual)
                    continue;
                if (isPublic && (method.Attributes & MethodAttributes.MemberAccessMask) != MethodAttributes.Public)
                    continue;
                BlobReader il = file.GetMethodBody(method.RelativeVirtualAddress).GetILReader();
                if (!IlTokens.Returns(il))
                    found.Add($"{metadata.GetString(type.Name)}.{metadata.GetString(method.Name)}");
            }
        }
        return found;
    }
}
